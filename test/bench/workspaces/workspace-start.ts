import { RuntimeProcess } from '../../support/runtime-process.ts';
import { type BenchSetting, withWorkspaces } from '../bench-setting.ts';
import { byTurns, type Figure, timed } from '../figure.ts';
import { AppByHand } from './app-by-hand.ts';
import { BenchWorkspace } from './bench-workspace.ts';

const ROUNDS = 9;

/** From a visit to a workspace in standby to its first byte, and from `docker create` to the same byte by hand. */
export async function workspaceStart(setting: BenchSetting): Promise<Figure> {
  await using runtime = await RuntimeProcess.start({ env: withWorkspaces(setting) });
  const workspace = await BenchWorkspace.make(runtime, 'STANDBY');
  const hand = new AppByHand(setting);
  await hand.prepare();
  const result = await byTurns(
    ROUNDS,
    async () => {
      const ms = await timed(() => workspace.firstByte());
      await workspace.become('STANDBY');
      return ms;
    },
    async () => {
      const started = performance.now();
      const container = await hand.start();
      const ms = performance.now() - started;
      await container.remove({ force: true });
      return ms;
    },
  );
  return {
    name: 'a visit to a workspace in standby, to its first byte',
    unit: 'ms',
    ours: result.ours,
    reference: { name: 'create, start and the first byte by hand', value: result.reference },
    goal: 1.3,
  };
}
