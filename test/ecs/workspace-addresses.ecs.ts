import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';
import { ecsFilesEnv, liveTasks, startEcsWithFiles } from './ecs-on-docker.ts';

describeWith(
  ['docker', 'workspace-base-image', 'proxy-sidecar-image', 'workspace-editor-image'],
  'the address of a workspace',
  () => {
    const installations = ['first', 'second'].map((name) => `${name}-${randomBytes(4).toString('hex')}`);
    let emulator: EcsEmulator;
    let runtimes: RuntimeProcess[];
    beforeAll(async () => {
      emulator = await startEcsWithFiles(installations);
      // Nobody looks meanwhile: what was seen to run is taken to run.
      const env = { ...ecsFilesEnv(emulator), WORKSPACE_OBSERVE_SECONDS: '3600' };
      runtimes = await Promise.all(
        installations.map((BERTH_INSTALLATION) =>
          RuntimeProcess.start({ env: { ...env, BERTH_INSTALLATION } }),
        ),
      );
    });
    afterAll(async () => {
      for (const runtime of runtimes) await runtime[Symbol.asyncDispose]();
      await emulator[Symbol.asyncDispose]();
    });

    it("is another's by now: whoever visits the first is not led there", async () => {
      const visited = async (workspace: WorkspaceCalls) => {
        const answer = workspace.visit('/api/file?path=whose', { signal: AbortSignal.timeout(10_000) });
        return answer.then((each) => each.text()).catch(() => 'nothing');
      };
      const [runtime, other] = [must(runtimes[0]), must(runtimes[1])];
      const first = await WorkspaceCalls.make(runtime, 'first');
      await first.settles({ observed_status: 'RUNNING' });
      await first.write('whose', 'of the first');
      expect(await visited(first)).toBe('of the first');
      const task = must(liveTasks(emulator, 'ws-first')[0]);
      const { address } = task.attachment;
      emulator.reuseAddresses();
      emulator.stopFromOutside(task.arn);
      await vi.waitFor(() => expect(task.status).toBe('STOPPED'), { timeout: 30_000, interval: 20 });

      // At another installation: nothing brings this one to look again.
      const heir = await WorkspaceCalls.make(other, 'heir');
      await heir.settles({ observed_status: 'RUNNING' });
      expect(must(liveTasks(emulator, 'ws-heir')[0]).attachment.address).toBe(address);
      await heir.write('whose', 'of the heir');
      expect(await visited(heir)).toBe('of the heir');
      expect(await first.look()).toMatchObject({ observed_status: 'RUNNING' });
      expect(await visited(first)).not.toContain('of the heir');
      // Who visits has it looked at, and it comes back.
      await vi.waitFor(async () => expect(await visited(first)).toBe('of the first'), {
        timeout: 120_000,
        interval: 500,
      });
    });
  },
);
