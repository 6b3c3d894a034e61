import type { Call } from '../agent.ts';
import { queryValues } from '../http/query.ts';
import { bodyChunks } from '../http/request-body.ts';
import { Problem } from '../problem.ts';
import { requestedPath } from './requested-path.ts';
import { writeInside } from './write-inside.ts';

export async function putFile(call: Call): Promise<void> {
  const { agent, req, res, query } = call;
  const mode = parseMode(queryValues(query, 'mode')[0]);
  await writeInside(agent.root, requestedPath(call), bodyChunks(req), { mode });
  res.writeHead(204).end();
}

function parseMode(mode: string | undefined): number | undefined {
  if (mode === undefined) return undefined;
  if (/^0?[0-7]{3}$/.test(mode)) return Number.parseInt(mode, 8);
  throw new Problem('INVALID_REQUEST', 'mode must be three octal digits, as in 644');
}
