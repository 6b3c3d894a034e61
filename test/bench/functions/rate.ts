import { BenchProcess } from '../egress-process.ts';
import { byTurns, type Figure } from '../figure.ts';
import { LiveFunctions } from './live-function.ts';
import { callsPerSecond } from './load.ts';

const NAME = 'rate';
const SOURCE = 'export default ({name}) => ({hello: name})';
const CALLERS = 32;
const ROUNDS = 15;
const SECONDS = 1;
const WARM_UP_SECONDS = 10;

/** Calls of 32 callers on 32 workers through the runtime, and through a bare proxy in front of the same workers. */
export async function callRate(title: string, env: Record<string, string>): Promise<Figure[]> {
  const program = new URL('./bare-proxy.ts', import.meta.url);
  await using live = await LiveFunctions.start({ ...env, LOG_LEVEL: 'info' }, [
    { name: NAME, source: SOURCE, workers: CALLERS },
  ]);
  await using proxy = BenchProcess.program(program, await live.workersOf(NAME));
  const bare = new URL(`http://127.0.0.1:${await proxy.said()}/invoke`);
  const load = { body: { name: 'Ada' }, callers: CALLERS };
  const ours = (seconds = SECONDS) =>
    callsPerSecond({ ...load, url: live.url(NAME), token: live.runtime.developmentKey, seconds });
  const reference = (seconds = SECONDS) => callsPerSecond({ ...load, url: bare, seconds });
  await ours(WARM_UP_SECONDS);
  await reference(WARM_UP_SECONDS);
  const result = await byTurns(ROUNDS, ours, reference);
  return [
    {
      name: `calls of ${CALLERS} callers on ${CALLERS} workers, ${title}`,
      unit: 'requests/s',
      ours: result.ours,
      reference: { name: 'a bare express + undici proxy', value: result.reference },
      goal: { atLeast: 0.6 },
    },
  ];
}
