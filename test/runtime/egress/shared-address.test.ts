import { createHash, randomBytes } from 'node:crypto';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HostedContainers } from '../../../runtime/egress/hosted-containers.ts';
import { must } from '../../support/must.ts';
import { describeWith, docker, workspaceImage } from '../../support/services/provided.ts';
import { Upstream } from '../../support/upstream.ts';

/** A container with a network of ours: no way out but the gateway's proxy, which knows it by its credential. */
describeWith(['docker', 'workspace-base-image'], "the proxy at a network's gateway", () => {
  const engine = new Docker({ socketPath: docker().host.replace('unix://', '') });
  const name = `berth-test-${randomBytes(4).toString('hex')}`;
  const hosted = new HostedContainers(() => {});
  let upstream: Upstream;
  let proxy: string;
  let network: Docker.Network;

  beforeAll(async () => {
    upstream = await Upstream.start();
    network = await engine.createNetwork({ Name: name, Internal: true, CheckDuplicate: true });
    const { IPAM } = await network.inspect();
    const gateway = must(IPAM?.Config?.[0]?.Gateway);
    const { port } = (await hosted.carryOut({ kind: 'share', host: gateway, port: 0 })) as { port: number };
    proxy = `${gateway}:${port}`;
    for (const [container, allowed] of [
      ['one', [`internal:${upstream.authority}`]],
      ['two', []],
    ] as const) {
      await hosted.carryOut({
        kind: 'serve',
        container,
        credentialSha256: createHash('sha256').update(`credential-of-${container}`).digest('hex'),
        state: {
          allowed_domains: [...allowed],
          mcp_domains: [],
          mcp_servers: {},
          signing: null,
          anthropic: null,
        },
      });
    }
  });

  afterAll(async () => {
    await network.remove();
    await upstream[Symbol.asyncDispose]();
  });

  /** What `curl` in a container on that network prints. */
  async function curl(credential: string, url: string): Promise<string> {
    const http_proxy = credential === '' ? '' : `http://${credential}@${proxy}`;
    const container = await engine.createContainer({
      Image: workspaceImage(),
      Entrypoint: ['curl', '-sS', '--max-time', '5', '-w', ' %{http_code}', url],
      Env: [`http_proxy=${http_proxy}`],
      HostConfig: { NetworkMode: name },
    });
    try {
      await container.start();
      await container.wait();
      return (await container.logs({ stdout: true, stderr: true })).toString('utf8');
    } finally {
      await container.remove({ force: true });
    }
  }

  it('lets each container out by its own rules', async () => {
    const url = `http://${upstream.authority}/hello`;
    expect(await curl('one:credential-of-one', url)).toMatch(/GET \/hello[\s\S]* 200/);
    expect(await curl('two:credential-of-two', url)).toMatch(/Domain not in whitelist[\s\S]* 403/);
  });

  it("lets nobody out with another's name, a wrong credential or none", async () => {
    const url = `http://${upstream.authority}/stolen`;
    for (const credential of ['one:credential-of-two', 'one:', 'three:credential-of-one', 'nobody']) {
      expect(await curl(credential, url)).toContain(' 407');
    }
    expect(await curl('', url)).toContain(' 000');
    expect(upstream.seen.filter(({ path }) => path === '/stolen')).toEqual([]);
  });
});
