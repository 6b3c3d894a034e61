import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { FunctionCalls } from '../../support/function-calls.ts';
import { call } from '../agent-call.ts';
import type { BenchSetting } from '../bench-setting.ts';
import { type Figure, median, timed } from '../figure.ts';
import { LiveFunctions } from './live-function.ts';

const NAME = 'paused';
const ROUNDS = 11;
const WARM_UP_CALLS = 200;
const LOOK_MS = 50;

/** A call of a function whose only worker is paused, and the engine's own unpause of the same container. */
export async function callOfPaused(
  { dockerHost }: BenchSetting,
  env: Record<string, string>,
): Promise<Figure[]> {
  const pauses = { ENABLE_CONTAINER_PAUSE: '1', PAUSE_IDLE_SECONDS: '1', HEARTBEAT_INTERVAL: '1' };
  const source = 'export default () => ({hello: true})';
  await using live = await LiveFunctions.start({ ...env, ...pauses }, [{ name: NAME, source, workers: 1 }]);
  const seen = new FunctionCalls(live.runtime, NAME);
  const agent = new Agent({ keepAlive: true });
  const token = live.runtime.developmentKey;
  const once = () => call(live.url(NAME), { token, body: {}, agent });
  for (let index = 0; index < WARM_UP_CALLS; index += 1) await once();
  const engine = new Docker({ socketPath: dockerHost.replace('unix://', '') });
  const container = engine.getContainer((await seen.call()).worker ?? '');
  const ours: number[] = [];
  const byHand: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    while ((await seen.pool()).paused !== 1) await sleep(LOOK_MS);
    byHand.push(await timed(() => container.unpause()));
    await container.pause();
    ours.push(await timed(once));
  }
  agent.destroy();
  const name = 'a call of a function whose worker is paused';
  return [
    {
      ...{ name, unit: 'ms', ours: median(ours) },
      reference: { name: "the engine's own unpause", value: median(byHand) },
    },
    { name: 'the same', unit: 'ms', ours: median(ours), goal: 30 },
  ];
}
