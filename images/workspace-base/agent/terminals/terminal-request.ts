import { resolve } from 'node:path';
import type { Agent } from '../agent.ts';
import { parseEnvironment } from '../exec/environment.ts';
import { parseCommand, parseCwd } from '../exec/exec-request.ts';
import { isRecord } from '../http/json-body.ts';
import { Problem } from '../problem.ts';

/** A terminal as it will be started: everything checked, nothing optional left to decide. */
export interface TerminalOrder {
  id: string;
  cmd: [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
  cols: number;
  rows: number;
}

const ID = /^tm-[0-9a-f]{24}$/;
/** `GET /terminals` tells it again. */
const MAX_COMMAND_BYTES = 32 * 1024;
const MAX_SIDE = 1000;
const SHELL: [string] = ['bash'];
/** What the other side draws. */
const SCREEN = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };

/** Checks the body of `POST /terminals` and joins it with what the agent knows. */
export function parseTerminalRequest(body: unknown, agent: Agent): TerminalOrder {
  if (!isRecord(body)) throw new Problem('INVALID_REQUEST', 'the body must be a JSON object');
  const { terminal_id: id, cols, rows } = body;
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new Problem('INVALID_REQUEST', 'terminal_id must be "tm-" and 24 hex digits');
  }
  if (!isSide(cols) || !isSide(rows)) {
    throw new Problem('INVALID_REQUEST', `cols and rows must be whole numbers from 1 to ${MAX_SIDE}`);
  }
  const cmd = body.cmd === undefined ? SHELL : parseCommand(body.cmd);
  if (cmd.reduce((sum, argument) => sum + Buffer.byteLength(argument) + 1, 0) > MAX_COMMAND_BYTES) {
    throw new Problem('INVALID_REQUEST', `cmd must have at most ${MAX_COMMAND_BYTES} bytes`);
  }
  return {
    id,
    cmd,
    cwd: resolve(agent.root, parseCwd(body.cwd)),
    env: { ...agent.inheritedEnv, ...agent.assignment.env, ...SCREEN, ...parseEnvironment(body.env) },
    cols,
    rows,
  };
}

export function isSide(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_SIDE;
}
