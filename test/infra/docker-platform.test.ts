import { isSecret } from '@pulumi/pulumi';
import { beforeEach, describe, expect, it } from 'vitest';
import { DockerPlatform } from '../../infra/docker/docker-platform.ts';
import type { PlatformArgs } from '../../infra/platform-args.ts';
import { VERSION } from '../../infra/version.ts';
import { loadConfig } from '../../runtime/contracts/load-config.ts';
import { outcome, recordResources } from './registered.ts';
import { isMarked, plain } from './secret-marks.ts';

const CONTAINER = 'docker:index/container:Container';
const VOLUME = 'docker:index/volume:Volume';
const NETWORK = 'docker:index/network:Network';

const registered = recordResources();
beforeEach(() => registered.resources.splice(0));

async function platform(args: Omit<PlatformArgs, 'platform'> = {}): Promise<DockerPlatform> {
  const made = new DockerPlatform('agents', args);
  await outcome(made.url);
  return made;
}

function environment(): Record<string, string> {
  const envs: string[] = plain(registered.named(CONTAINER, 'agents-runtime').inputs.envs);
  return Object.fromEntries(
    envs.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

describe('the platform on Docker', () => {
  it('is a runtime on loopback, with the engine, its sockets at their own path, and its stores out of reach', async () => {
    const made = await platform();
    const { inputs } = registered.named(CONTAINER, 'agents-runtime');
    expect(inputs.ports).toEqual([{ internal: 7420, external: 7420, ip: '127.0.0.1' }]);
    const folder = '/var/lib/docker/volumes/agents-sockets/_data';
    expect(inputs.mounts).toContainEqual({ type: 'volume', source: 'agents-sockets', target: folder });
    expect(inputs).toMatchObject({ readOnly: true, capabilities: { drops: ['ALL'] }, wait: true });
    for (const store of ['agents-redis', 'agents-postgres']) {
      const { inputs: of } = registered.named(CONTAINER, store);
      expect(of.ports).toBeUndefined();
      expect(of.networksAdvanced).toEqual([{ name: 'agents-stores' }]);
    }
    expect(registered.named(NETWORK, 'agents-stores').inputs.internal).toBe(true);
    expect(await outcome(made.url)).toBe('http://127.0.0.1:7420');
    expect(await outcome(made.backend)).toBe('docker');
  });

  it('names capabilities as an engine says them again, so that a look at it shows no change', async () => {
    await platform();
    const adds = registered.of(CONTAINER).map(({ inputs }): string[] => inputs.capabilities.adds ?? []);
    expect(adds.filter((names) => names.length > 0)).toHaveLength(3);
    for (const names of adds) {
      expect(names.filter((name) => !name.startsWith('CAP_'))).toEqual([]);
      expect(names).toEqual(names.toSorted());
    }
  });

  it('gives the runtime an environment that it takes, with one version for runtime and workspaces', async () => {
    await platform({
      warmPoolMin: 3,
      warmPoolMax: 6,
      allowedDomains: ['pypi.org', 'none.example'],
    });
    const loaded = loadConfig(environment());
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    expect(loaded.config).toMatchObject({
      CONTAINER_MANAGER_TYPE: 'docker',
      BERTH_INSTALLATION: 'agents',
      WARM_POOL_MIN_SIZE: 3,
      EGRESS_ALLOWED_DOMAINS: ['pypi.org', 'none.example'],
      WORKSPACE_IMAGE: expect.stringMatching(`^workspace-base:${VERSION}-[0-9a-f]{12}\\.agents$`),
      OWN_IMAGES: new Map(
        ['workspace-editor', 'function-node', 'function-python'].map((image) => [
          image,
          expect.stringMatching(`^${image}:${VERSION}-[0-9a-f]{12}\\.agents$`),
        ]),
      ),
      REDIS_URL: 'redis://:password-of-agents-redis@agents-redis:6379',
    });
    expect(registered.named(CONTAINER, 'agents-runtime').inputs.image).toMatch(
      new RegExp(`^runtime:${VERSION}-[0-9a-f]{12}\\.agents$`),
    );
  });

  it('keeps what is secret secret: the key, and every environment that holds one', async () => {
    const made = await platform({ egressMode: 'service' });
    expect(await isSecret(made.apiKey)).toBe(true);
    expect(await outcome(made.apiKey)).toBe('berth_password-of-agents-api-key');
    expect(JSON.parse(environment().BERTH_API_KEYS ?? '')).toMatchObject([{ scope: 'admin' }]);
    expect(JSON.stringify(environment())).not.toContain('berth_password');
  });

  it('gives the runtime the key of Anthropic, and nobody sees it on the way', async () => {
    await platform({ anthropicApiKey: 'sk-ant-of-the-operator' });
    expect(environment().ANTHROPIC_API_KEY).toBe('sk-ant-of-the-operator');
    const inClear = registered.resources.filter(({ inputs }) =>
      Object.values(inputs).some((input) => !isMarked(input) && JSON.stringify(input)?.includes('sk-ant')),
    );
    expect(inClear.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    [false, ['agents-data', 'agents-postgres', 'agents-redis']],
    [true, []],
  ])('keeps data when it is destroyed, unless it is told otherwise: %s', async (destroyData, kept) => {
    await platform({ destroyData });
    const volumes = registered.of(VOLUME);
    expect(volumes).toHaveLength(4);
    const staying = volumes.filter(({ retained }) => retained).map(({ name }) => name);
    expect(staying.sort()).toEqual(kept);
  });

  it('has the egress proxy apart where that is asked for', async () => {
    await platform({ egressMode: 'service' });
    expect(environment()).toMatchObject({
      EGRESS_MODE: 'service',
      EGRESS_PROXY_URL: 'http://agents-proxy:8080',
      EGRESS_PROXY_ADMIN_KEY: 'password-of-agents-proxy-admin',
    });
    expect(registered.named(CONTAINER, 'agents-proxy').inputs.command).toContain(
      '/opt/berth/proxy-service.mjs',
    );
  });

  it.each([
    [{}, 'workspaces.localhost', 'http://127.0.0.1:7420'],
    [{ workspaceDomain: 'mine.localhost', port: 8000 }, 'mine.localhost', 'http://127.0.0.1:8000'],
  ])('gives each workspace a host at the port that is published: %o', async (args, domain, url) => {
    await platform(args);
    expect(environment()).toMatchObject({ WORKSPACE_DOMAIN: domain, PUBLIC_URL: url });
  });

  it('is at the port that it is given', async () => {
    const made = await platform({ port: 8000 });
    const { inputs } = registered.named(CONTAINER, 'agents-runtime');
    expect(inputs.ports).toEqual([{ internal: 8000, external: 8000, ip: '127.0.0.1' }]);
    expect(environment().PORT).toBe('8000');
    expect(await outcome(made.url)).toBe('http://127.0.0.1:8000');
  });

  it.each([
    [{ runtimeReplicas: 2 }, /runtimeReplicas wants 1 on docker/],
    [{ vpcId: 'vpc-0abc1234' }, /vpcId wants nothing on docker/],
    [{ port: 0 }, /port wants a whole number from 1 to 65535/],
  ])('refuses %o before anything is made', (args, words) => {
    expect(() => new DockerPlatform('agents', args)).toThrow(words);
    expect(registered.resources.filter(({ type }) => type !== 'berth:index:DockerPlatform')).toEqual([]);
  });
});

describe('a platform of a name that can name nothing', () => {
  it.each(['Agents', '9lives', 'a'.repeat(25), 'my_agents', 'a--b', 'a-'])('%s is refused', (name) => {
    expect(() => new DockerPlatform(name)).toThrow('its name wants up to 24 of a-z');
  });
});
