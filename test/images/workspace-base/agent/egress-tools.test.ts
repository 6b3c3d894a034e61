import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SocketFolder } from '../../../../runtime/containers/socket-folder.ts';
import { useDockerContainer } from '../../../runtime/containers/docker/docker-container.ts';
import { MAKE_TARBALL, MAKE_WHEEL, PackageServer } from '../../../support/package-server.ts';
import { describeWith } from '../../../support/services/provided.ts';
import { TestProxy, UPSTREAM } from './egress-test-proxy.ts';

const COMMIT = '1234567890123456789012345678901234567890';

describeWith(['docker', 'workspace-base-image'], 'in a container without a network', () => {
  const container = useDockerContainer();
  const bash = (script: string) => container().agent.bash(script);
  const packages = new PackageServer();
  const { files } = packages;
  let upstream: Server;
  let proxy: TestProxy;

  beforeAll(async () => {
    upstream = createServer(packages.listener);
    await once(upstream.listen(0, '127.0.0.1'), 'listening');
    proxy = new TestProxy((upstream.address() as AddressInfo).port);
    const { base, spec } = container();
    await proxy.listen(new SocketFolder(base, spec.id).proxySocket);
    files.set('/hello', Buffer.from('hello from outside'));
  });

  beforeEach(() => {
    proxy.take();
  });

  afterAll(() => {
    proxy.close();
    upstream.close();
  });

  const http = `http://${UPSTREAM}/hello`;
  it.each([
    ['curl', `curl -sS ${http}`],
    [
      "Python's urllib",
      `python3 -c "import urllib.request as u; print(u.urlopen('${http}').read().decode())"`,
    ],
    ["Python's requests", `python3 -c "from pip._vendor import requests as r; print(r.get('${http}').text)"`],
    ["Node's fetch", `node -e "fetch('${http}').then((r) => r.text()).then(console.log)"`],
    ["Node's http", `node -e "require('http').get('${http}', (r) => r.pipe(process.stdout))"`],
  ])('%s goes through the proxy', async (_name, script) => {
    expect(await bash(script)).toBe('hello from outside');
    expect(proxy.take().at(-1)).toMatch(/^(GET http:\/\/upstream\.test\/hello|CONNECT upstream\.test:80)$/);
  });

  const https = `https://${UPSTREAM}/hello`;
  it.each([
    ['curl', `curl -sS ${https}`],
    ["Python's urllib", `python3 -c "import urllib.request as u; u.urlopen('${https}')"`],
    ["Python's requests", `python3 -c "from pip._vendor import requests as r; r.get('${https}')"`],
    ["Node's fetch", `node -e "fetch('${https}')"`],
    ["Node's https", `node -e "require('https').get('${https}')"`],
    ['git', `git ls-remote ${https}`],
    ['pip', `pip download --retries 0 --index-url https://${UPSTREAM}/simple/ probe`],
    ['npm', `npm view probe --registry https://${UPSTREAM}/ --fetch-retries 0`],
  ])('%s asks the proxy for a tunnel to what speaks TLS', async (_name, script) => {
    // The upstream has no TLS, so that no handshake can succeed.
    expect((await container().agent.exec('bash', '-c', script)).exit_code).not.toBe(0);
    expect(proxy.take()).toContain(`CONNECT ${UPSTREAM}:443`);
  });

  it('git reads a repository', async () => {
    files.set('/repo.git/info/refs', Buffer.from(`${COMMIT}\trefs/heads/main\n`));
    files.set('/repo.git/HEAD', Buffer.from('ref: refs/heads/main\n'));
    expect(await bash(`git ls-remote http://${UPSTREAM}/repo.git main`)).toBe(`${COMMIT}\trefs/heads/main`);
    expect(proxy.take()[0]).toContain(`GET http://${UPSTREAM}/repo.git/info/refs`);
  });

  it('pip installs a package', async () => {
    packages.addWheel(await bash(MAKE_WHEEL));
    await bash(`pip install -q --index-url http://${UPSTREAM}/simple/ --trusted-host ${UPSTREAM} probe`);
    expect(await bash('python3 -c "import probe; print(probe.SAYS)"')).toBe('from a wheel');
    expect(proxy.take()).toContain(`GET http://${UPSTREAM}/simple/probe/`);
  });

  it('npm installs a package', async () => {
    packages.addTarball(`http://${UPSTREAM}`, await bash(MAKE_TARBALL));
    await bash(
      `mkdir -p /tmp/app && cd /tmp/app && npm install --no-audit --no-fund --registry http://${UPSTREAM}/ probe`,
    );
    expect(await bash(`cd /tmp/app && node -p "require('probe')"`)).toBe('from a tarball');
  });

  it('a model is asked through the proxy', async () => {
    files.set('/anthropic/v1/messages', Buffer.from('an answer'));
    expect(await bash('curl -sS --data {} $ANTHROPIC_BASE_URL/v1/messages')).toBe('an answer');
    expect(proxy.take()).toEqual(['POST /anthropic/v1/messages']);
    expect(await bash('echo $ANTHROPIC_BEDROCK_BASE_URL')).toBe('http://127.0.0.1:8080');
  });

  it('its own servers are asked directly', async () => {
    const serves =
      'cd /tmp && python3 -m http.server 9123 --bind 127.0.0.1 >/dev/null 2>&1 & until (: < /dev/tcp/127.0.0.1/9123) 2>/dev/null; do sleep 0.05; done;';
    const asks = ['curl -sS -o /dev/null', 'node -e "fetch(process.argv[1])"'].map(
      (ask) => `${ask} http://127.0.0.1:9123/ && ${ask} http://localhost:9123/`,
    );
    await bash(`${serves} ${asks.join(' && ')}; ended=$?; kill %1; exit $ended`);
    expect(proxy.take()).toEqual([]);
  });

  it('a command that goes without the proxy reaches nothing', async () => {
    const answer = await container().agent.exec('bash', '-c', `http_proxy= curl -sS ${http}`);
    expect(answer.stderr).toContain('Could not resolve host');
    expect(proxy.take()).toEqual([]);
  });

  it('who asks while the proxy is gone is told so', async () => {
    proxy.close();
    expect(await bash(`curl -sS ${http}`)).toContain("This sandbox's egress proxy does not answer");
  });
});
