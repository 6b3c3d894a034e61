import { beforeEach, describe, expect, it } from 'vitest';
import { DockerPlatform } from '../../../infra/docker/docker-platform.ts';
import type { PlatformArgs } from '../../../infra/platform-args.ts';
import { outcome, recordResources } from '../registered.ts';
import { violations } from './violations.ts';

const CONTAINER = 'docker:index/container:Container';

const registered = recordResources();
beforeEach(() => registered.resources.splice(0));

async function made(args: Omit<PlatformArgs, 'platform'> = {}) {
  await outcome(new DockerPlatform('agents', args).url);
  return registered.resources;
}

describe('the platform on Docker', () => {
  it.each<[string, Omit<PlatformArgs, 'platform'>]>([
    ['with the egress proxy in the runtime', {}],
    ['with the egress proxy apart', { egressMode: 'service' }],
    ['whose data goes with it', { destroyData: true }],
  ])('%s keeps every rule', async (_, args) => {
    const resources = await made(args);
    expect(resources.filter(({ type }) => type === CONTAINER).length).toBeGreaterThan(3);
    expect(violations(resources)).toEqual([]);
  });
});

describe('a platform on Docker that is made badly', () => {
  it.each([
    ['no-public-address', 'agents-runtime', { ports: [{ internal: 7420, external: 7420 }] }],
    ['no-secret-in-environment', 'agents-postgres', { envs: ['POSTGRES_PASSWORD=word'] }],
    ['images-by-digest', 'agents-redis', { image: 'redis:7.4' }],
    ['contained-containers', 'agents-runtime', { privileged: true }],
    [
      'engine-for-runtime-only',
      'agents-redis',
      { mounts: [{ type: 'bind', source: '/var/run/docker.sock', target: '/var/run/docker.sock' }] },
    ],
  ])('is caught by %s', async (rule, name, change) => {
    await made();
    const victim = registered.named(CONTAINER, name);
    Object.assign(victim.inputs, change);
    const found = violations(registered.resources);
    expect(new Set(found.map((problem) => problem.split(': ')[0]))).toEqual(new Set([rule]));
  });
});
