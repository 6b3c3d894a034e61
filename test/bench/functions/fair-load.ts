import { Agent } from 'node:http';
import { call } from '../agent-call.ts';
import { type Figure, median } from '../figure.ts';
import { LiveFunctions } from './live-function.ts';

const FUNCTIONS = 10;
const WORKERS = 4;
const CALLERS = 20;
const CALLS = 10_000;

/** Takes two milliseconds, and says which worker it is, when it got the call, and how many it has at once. */
const SOURCE = `
const worker = crypto.randomUUID();
let running = 0;
export default async () => {
  const got = performance.timeOrigin + performance.now();
  running += 1;
  const atOnce = running;
  await new Promise((resolve) => setTimeout(resolve, 2));
  running -= 1;
  return { worker, got, atOnce };
};`;

/** 10,000 calls over ten functions, of five times as many callers as there are workers. */
export async function fairLoad(title: string, env: Record<string, string>): Promise<Figure[]> {
  const names = Array.from({ length: FUNCTIONS }, (_, index) => `fair-${index}`);
  await using live = await LiveFunctions.start(
    env,
    names.map((name) => ({ name, source: SOURCE, workers: WORKERS })),
  );
  const agent = new Agent({ keepAlive: true });
  const token = live.runtime.developmentKey;
  let atOnce = 0;
  let workers = 0;
  let worst = 0;
  /** From when a call was made to when a worker had it: the way there with the wait, and nothing of what it took then. */
  const waits: number[] = [];
  await Promise.all(
    names.map(async (name) => {
      const seen = new Set<string>();
      const own: number[] = [];
      const url = live.url(name);
      const caller = async () => {
        for (let index = 0; index < CALLS / FUNCTIONS / CALLERS; index += 1) {
          const asked = performance.timeOrigin + performance.now();
          const answer = JSON.parse(await call(url, { token, body: {}, agent }));
          own.push(answer.got - asked);
          atOnce = Math.max(atOnce, answer.atOnce);
          seen.add(answer.worker);
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      workers = Math.max(workers, seen.size);
      worst = Math.max(worst, Math.max(...own) / median(own));
      waits.push(...own);
    }),
  );
  agent.destroy();
  const what = `of ${CALLS} calls over ${FUNCTIONS} functions of ${WORKERS} workers, ${title}`;
  return [
    { name: `most that one worker had at once, ${what}`, unit: 'calls', ours: atOnce, goal: 1 },
    { name: 'workers of the function that had most', unit: 'workers', ours: workers, goal: WORKERS },
    {
      name: 'longest that a call waited for its worker, where that was worst against the median of its function',
      unit: 'ms',
      ours: worst * median(waits),
      reference: { name: 'the median', value: median(waits) },
      goal: 5,
    },
  ];
}
