import { Agent } from 'node:http';
import { must } from '../../support/must.ts';
import { call } from '../agent-call.ts';
import { type Figure, median, timed } from '../figure.ts';
import { LiveFunctions } from './live-function.ts';

const NAME = 'warm';
const SOURCE = 'export default ({name}) => ({hello: name})';
const BODY = { name: 'Ada' };
const ROUNDS = 30;
const CALLS = 40;
/** A service runs for weeks: what counts is its compiled code, not its first calls. */
const WARM_UP_CALLS = 1500;

/** A call of a warm function through the API, and to its worker itself over its socket, each from the same client. */
export async function warmCall(title: string, env: Record<string, string>): Promise<Figure[]> {
  await using live = await LiveFunctions.start(env, [{ name: NAME, source: SOURCE, workers: 1 }]);
  const socketPath = must((await live.workersOf(NAME))[0]);
  const agent = new Agent({ keepAlive: true });
  const token = live.runtime.developmentKey;
  const url = live.url(NAME);
  const ways = {
    ours: () => call(url, { token, body: BODY, agent }),
    direct: () => call({ socketPath, path: '/' }, { body: BODY, agent }),
  };
  const times: Record<keyof typeof ways, number[]> = { ours: [], direct: [] };
  for (let index = 0; index < WARM_UP_CALLS; index += 1) {
    await ways.ours();
    await ways.direct();
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of ['ours', 'direct'] as const) {
      for (let index = 0; index < CALLS; index += 1) times[way].push(await timed(ways[way]));
    }
  }
  agent.destroy();
  const [ours, direct] = [median(times.ours), median(times.direct)];
  return [
    {
      name: `a warm call of a function, p50, ${title}`,
      unit: 'ms',
      ours,
      reference: { name: 'its worker called directly', value: direct },
    },
    { name: `what that adds to the direct call, ${title}`, unit: 'ms', ours: ours - direct, goal: 1.5 },
  ];
}
