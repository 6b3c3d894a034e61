import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ContainerPlace } from '../support/container-place.ts';
import { MAKE_REPOSITORY, MAKE_TARBALL, MAKE_WHEEL, PackageServer } from '../support/package-server.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { Upstream } from '../support/upstream.ts';

/** What people install packages with works, on whatever place; `upstreamHost` is this machine as the proxy sees it. */
export function toolsGetOut(place: () => ContainerPlace, upstreamHost = () => Upstream.host): void {
  const packages = new PackageServer();
  const asked: string[] = [];
  let server: Server;
  let runtime: RuntimeProcess;
  let host: string;
  let origin: string;

  beforeAll(async () => {
    host = upstreamHost();
    server = createServer(packages.listener);
    server.on('request', ({ method, url }) => asked.push(`${method} ${url}`));
    await once(server.listen(0, host), 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    origin = `http://${host}:${port}`;
    runtime = await RuntimeProcess.start({
      env: { ...place().env, EGRESS_ALLOWED_DOMAINS: `internal:${host}:${port}` },
    });
  });

  afterAll(async () => {
    await runtime?.[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });

  async function bash(script: string): Promise<string> {
    const { exit_code, stdout, stderr } = await runtime.exec('tools', ['bash', '-ec', script]);
    expect([exit_code, stderr]).toEqual([0, expect.anything()]);
    return stdout.trim();
  }

  it('pip installs a package from an index', async () => {
    packages.addWheel(await bash(MAKE_WHEEL));
    await bash(`pip install -q --index-url ${origin}/simple/ --trusted-host ${host} probe`);
    expect(await bash('python3 -c "import probe; print(probe.SAYS)"')).toBe('from a wheel');
    expect(asked).toContain('GET /simple/probe/');
  });

  it('npm installs a package from a registry', async () => {
    packages.addTarball(origin, await bash(MAKE_TARBALL));
    await bash(`mkdir app && cd app && npm install --no-audit --no-fund --registry ${origin}/ probe`);
    expect(await bash(`cd app && node -p "require('probe')"`)).toBe('from a tarball');
    expect(asked).toContain('GET /probe');
  });

  it('git clones a repository', async () => {
    packages.addRepository(await bash(MAKE_REPOSITORY));
    await bash(`git clone -q ${origin}/repo.git cloned`);
    expect(await bash('cat cloned/hello.txt')).toBe('from a repository');
    expect(asked).toContain('GET /repo.git/HEAD');
  });
}
