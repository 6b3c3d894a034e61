import type { Call } from '../agent.ts';
import { readJson } from '../http/json-body.ts';
import { type Command, type OutputSink, startCommand } from './command.ts';
import { parseExecRequest } from './exec-request.ts';

/** Roomy, because stdin is in it. */
const BODY_LIMIT = 8 * 1024 * 1024;

/** Starts the command that a call asks for; it is cancelled when the client leaves before its answer. */
export async function runForClient({ agent, req, res }: Call, sink: OutputSink): Promise<Command> {
  const order = parseExecRequest(await readJson(req, BODY_LIMIT), agent);
  const command = await startCommand(order, sink, agent);
  const leave = () => {
    if (!res.writableFinished) command.cancel();
  };
  if (res.destroyed) leave();
  else res.on('close', leave);
  return command;
}
