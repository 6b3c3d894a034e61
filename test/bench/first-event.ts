import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { stream, type Target } from './agent-call.ts';
import { byTurns, type Figure, median } from './figure.ts';
import { LiveConversation } from './live-conversation.ts';

const SCRIPT = { user_input: 'echo x', model: 'code/bash' };
const CALLS = 5;
const WARM_UP_CALLS = 100;

/** From `POST …/execute` to the first event that the agent says: through the API, and by the agent itself. */
export async function firstEvent(title: string, env: Record<string, string>): Promise<Figure> {
  await using live = await LiveConversation.start(env);
  const agent = new Agent({ keepAlive: true });
  const { socket: socketPath, token, runtime } = live;
  const url = new URL(`${live.url}/execute`);

  const ours = () => first(url, { token: runtime.developmentKey, body: SCRIPT, agent });
  const direct = () => {
    const execution_id = randomBytes(12).toString('hex');
    return first({ socketPath, path: '/execute' }, { token, body: { ...SCRIPT, execution_id }, agent });
  };
  for (let index = 0; index < WARM_UP_CALLS; index += 1) {
    await ours();
    await direct();
  }
  const some = async (once: () => Promise<number>): Promise<number> => {
    const times: number[] = [];
    for (let index = 0; index < CALLS; index += 1) times.push(await once());
    return median(times);
  };
  const result = await byTurns(
    15,
    () => some(ours),
    () => some(direct),
  );
  agent.destroy();
  return {
    name: `first event of an execution on a live conversation, ${title}`,
    unit: 'ms',
    ours: result.ours,
    reference: { name: "the agent's own /execute", value: result.reference },
    goal: 1.6,
  };
}

/** Waits for the end, too: the next execution has the container to itself. */
async function first(target: Target, options: Parameters<typeof stream>[1]): Promise<number> {
  const started = performance.now();
  let at = Number.NaN;
  await stream(target, options, (chunk) => {
    if (Number.isNaN(at) && chunk.includes('event: text_delta')) at = performance.now();
  });
  if (Number.isNaN(at)) throw new Error('the execution said nothing');
  return at - started;
}
