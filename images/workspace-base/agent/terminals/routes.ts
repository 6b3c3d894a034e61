import type { Call } from '../agent.ts';
import { TERMINAL_UPGRADE } from '../agent.ts';
import { readJson } from '../http/json-body.ts';
import { queryValues } from '../http/query.ts';
import { sendJson } from '../http/send-json.ts';
import { Problem } from '../problem.ts';
import { Terminal } from './terminal.ts';
import { parseTerminalRequest } from './terminal-request.ts';

const BODY_LIMIT = 2 * 1024 * 1024;

/** `POST /terminals` */
export async function postTerminal({ agent, req, res }: Call): Promise<void> {
  const order = parseTerminalRequest(await readJson(req, BODY_LIMIT), agent);
  const terminal = await agent.terminals.add(order.id, () => Terminal.start(order, agent));
  sendJson(res, 201, terminal.view);
}

/** `GET /terminals` */
export function getTerminals({ agent, res }: Call): void {
  sendJson(res, 200, { terminals: agent.terminals.list().map(({ view }) => view) });
}

/** `DELETE /terminals/{id}` */
export async function deleteTerminal({ agent, path, res }: Call): Promise<void> {
  await agent.terminals.end(idIn(path));
  sendJson(res, 200, {});
}

/** `GET /terminals/{id}/socket?after=` with an upgrade: from then on it is frames both ways. */
export function openLine({ agent, path, query, res, upgrade }: Call): void {
  const terminal = agent.terminals.find(idIn(path));
  const after = parseAfter(queryValues(query, 'after')[0] ?? '0');
  if (upgrade === undefined)
    throw new Problem('INVALID_REQUEST', `this wants an upgrade to ${TERMINAL_UPGRADE}`);
  terminal.check(after);
  const { socket, head } = upgrade;
  res.detachSocket(socket);
  // It is a call under way until then.
  socket.once('close', () => res.emit('close'));
  socket.setNoDelay(true).setKeepAlive(true, 30_000);
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${TERMINAL_UPGRADE}\r\n\r\n`,
  );
  if (head.length > 0) socket.unshift(head);
  terminal.attach(socket, after);
}

function idIn(path: string): string {
  return path.split('/', 3)[2] ?? '';
}

function parseAfter(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Problem('INVALID_REQUEST', 'after must be a number of bytes');
}
