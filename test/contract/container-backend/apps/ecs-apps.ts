import { describe, expect, it } from 'vitest';
import { ecsBackend, liveTasks, startEcsWithFiles } from '../../../ecs/ecs-on-docker.ts';
import { FILE_SYSTEM } from '../../../ecs/runtime-access.ts';
import { must } from '../../../support/must.ts';
import { APP_PORT } from './app-calls.ts';
import { type AppHarness, type AppsUnderTest, OTHERS, OURS } from './app-harness.ts';
import { buildTestApp } from './test-app-image.ts';

/** Tasks of the emulator, with an image of the test program. */
export async function ecsApps(): Promise<AppsUnderTest> {
  const emulator = await startEcsWithFiles([OURS, OTHERS], { rates: {} });
  // More calls than an account may make: what is tested are the containers.
  const open = (options: { installation: string; agentReadySeconds?: number }) =>
    ecsBackend(emulator, { ...options, instances: 0.01 });
  return {
    open,
    image: await buildTestApp(),
    makeVolume: async (name, installation) => {
      const backend = open({ installation });
      await must(backend.volumes).provision(name);
      await backend.close();
    },
    hasVolume: async (name) =>
      emulator.accessPoints
        .of(FILE_SYSTEM)
        .some(({ Tags }) => Tags.some(({ Key, Value }) => Key === 'Name' && Value === name)),
    hasTraces: async (id) => liveTasks(emulator, id).length > 0,
    remove: () => emulator[Symbol.asyncDispose](),
  };
}

/** What a task reaches: the rest is its security groups' to keep from it. */
export function ecsAppIsolation(harness: AppHarness): void {
  describe('an app', () => {
    it('has its egress proxy beside it, which lets nothing out before it is told its rules', async () => {
      const { spec, app } = await harness.running();
      const { HTTP_PROXY } = await app.env();
      expect(HTTP_PROXY).toBe('http://127.0.0.1:3128');
      expect(await harness.backend.endpoint(spec.id, 'proxy')).toMatchObject({ kind: 'address', port: 8081 });
      const asked = await app.bash(
        'curl -s --max-time 5 -o /dev/null -w "%{http_code}" http://example.test/',
      );
      expect(asked).toBe('403');
    });

    it('reaches no other app', async () => {
      const [one, two] = await Promise.all([harness.running(), harness.running()]);
      const other = await harness.backend.endpoint(two.spec.id, APP_PORT);
      if (other.kind !== 'address') throw new Error('a task is dialled at its address');
      expect(await one.app.connect('127.0.0.1', APP_PORT)).toBe('connected');
      expect(await one.app.connect(other.host, other.port)).not.toBe('connected');
    });
  });
}
