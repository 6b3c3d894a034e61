import { Agent } from 'node:http';
import { call } from './agent-call.ts';
import { byTurns, type Figure, timed } from './figure.ts';
import { LiveConversation } from './live-conversation.ts';

const COMMAND = { cmd: ['true'] };
const CALLS = 40;
/** A service runs for weeks: what counts is its compiled code, not its first calls. */
const WARM_UP_CALLS = 1000;

/** `exec` of `true` through the API, and by the agent itself over its socket. */
export async function execOverhead(title: string, env: Record<string, string>): Promise<Figure> {
  await using live = await LiveConversation.start(env);
  const agent = new Agent({ keepAlive: true });
  const url = new URL(`${live.url}/exec`);
  const key = live.runtime.developmentKey;
  const { socket: socketPath, token } = live;

  const each = async (once: () => Promise<unknown>): Promise<number> => {
    const ms = await timed(async () => {
      for (let index = 0; index < CALLS; index += 1) await once();
    });
    return ms / CALLS;
  };
  const ours = () => call(url, { token: key, body: COMMAND, agent });
  const direct = () => call({ socketPath, path: '/exec' }, { token, body: COMMAND, agent });
  for (let index = 0; index < WARM_UP_CALLS; index += 1) {
    await ours();
    await direct();
  }
  const result = await byTurns(
    15,
    () => each(ours),
    () => each(direct),
  );
  agent.destroy();
  return {
    name: `exec of true on a live conversation, ${title}`,
    unit: 'ms',
    ours: result.ours,
    reference: { name: "the agent's own /exec", value: result.reference },
    goal: 1.6,
  };
}
