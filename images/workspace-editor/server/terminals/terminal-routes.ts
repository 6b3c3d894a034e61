import { type Call, sendJson } from '../http/call.ts';
import { asSize } from './terminal-messages.ts';

/** `GET api/terminals` */
export async function listTerminals({ editor, res }: Call): Promise<void> {
  const terminals = editor.terminals.list().map(({ id, number, exitCode }) => ({ id, number, exitCode }));
  sendJson(res, 200, { terminals });
}

/** `POST api/terminals?rows=&columns=` */
export async function openTerminal({ editor, res, query }: Call): Promise<void> {
  const size = asSize({ rows: Number(query.get('rows')), columns: Number(query.get('columns')) });
  const { id, number } = await editor.terminals.open(size ?? { rows: 24, columns: 80 });
  sendJson(res, 201, { id, number });
}

/** `DELETE api/terminals?id=` */
export async function closeTerminal({ editor, res, query }: Call): Promise<void> {
  await editor.terminals.close(query.get('id'));
  sendJson(res, 200, {});
}
