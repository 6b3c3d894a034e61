import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseContainerId } from '../../runtime/contracts/ids.ts';
import { InstallationSecret } from '../../runtime/identity/installation-secret.ts';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { call } from './agent-call.ts';
import { byTurns, type Figure, timed } from './figure.ts';

const COMMAND = { cmd: ['true'] };
const CALLS = 40;
/** A service runs for weeks: what counts is its compiled code, not its first calls. */
const WARM_UP_CALLS = 1000;

/** `exec` of `true` through the API, and by the agent itself over its socket. */
export async function execOverhead(title: string, env: Record<string, string>): Promise<Figure> {
  const sockets = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  await using runtime = await RuntimeProcess.start({ env: { ...env, WORKSPACE_SOCKET_BASE_PATH: sockets } });
  await runtime.exec('bench', ['true']);
  const record = (await (await runtime.fetch('/v1/conversations/bench')).json()) as { container_id: string };
  const container = must(parseContainerId(record.container_id));
  const secret = env.BERTH_SECRET ?? readFileSync(join(runtime.dataDir, 'secret'), 'utf8').trim();
  const token = new InstallationSecret(Buffer.from(secret, 'hex')).agentToken(container);
  const [own = ''] = readdirSync(sockets);
  const agent = new Agent({ keepAlive: true });
  const key = runtime.developmentKey;

  const each = async (once: () => Promise<unknown>): Promise<number> => {
    const ms = await timed(async () => {
      for (let index = 0; index < CALLS; index += 1) await once();
    });
    return ms / CALLS;
  };
  const ours = () => post(`${runtime.url}/v1/conversations/bench/exec`, key, agent);
  const direct = () =>
    call(join(sockets, own, container, 'agent.sock'), '/exec', { token, body: COMMAND, agent });
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

function post(url: string, key: string, agent: Agent): Promise<void> {
  const body = JSON.stringify(COMMAND);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      },
      (answer) => {
        answer.resume();
        answer.on('end', resolve);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
