import { resolve } from 'node:path';
import type { Agent } from '../agent.ts';
import { isRecord } from '../http/json-body.ts';
import { Problem } from '../problem.ts';
import { parseEnvironment } from './environment.ts';

/** A command as it will be run: everything checked, nothing optional left to decide. */
export interface CommandOrder {
  program: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  stdin: string | undefined;
  timeoutMs: number;
}

const MAX_ARGUMENTS = 4096;
const MAX_ARGUMENT_BYTES = 1024 * 1024;
const MAX_PATH_LENGTH = 4096;
const DEFAULT_TIMEOUT_SECONDS = 60;
const MAX_TIMEOUT_SECONDS = 86_400;

/** Checks the body of `/exec` and joins it with what the agent knows. */
export function parseExecRequest(body: unknown, agent: Agent): CommandOrder {
  if (!isRecord(body)) throw new Problem('INVALID_REQUEST', 'the body must be a JSON object');
  const [program, ...args] = parseCommand(body.cmd);
  return {
    program,
    args,
    cwd: resolve(agent.root, parseCwd(body.cwd)),
    env: { ...agent.inheritedEnv, ...agent.assignment.env, ...parseEnvironment(body.env) },
    stdin: parseStdin(body.stdin),
    timeoutMs: parseTimeout('timeout', body.timeout, DEFAULT_TIMEOUT_SECONDS) * 1000,
  };
}

/** A program and its arguments. */
export function parseCommand(cmd: unknown): [string, ...string[]] {
  const isArgument = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
  if (!Array.isArray(cmd) || !cmd.every(isArgument)) {
    throw new Problem('INVALID_REQUEST', 'cmd must be an array of strings without NUL');
  }
  const [program, ...args] = cmd;
  if (!program) throw new Problem('INVALID_REQUEST', 'cmd must begin with the name of a program');
  const size = cmd.reduce((sum, argument) => sum + Buffer.byteLength(argument) + 1, 0);
  if (cmd.length > MAX_ARGUMENTS || size > MAX_ARGUMENT_BYTES) {
    throw new Problem(
      'INVALID_REQUEST',
      `cmd must have at most ${MAX_ARGUMENTS} strings and ${MAX_ARGUMENT_BYTES} bytes`,
    );
  }
  return [program, ...args];
}

/** Relative to the workspace, or absolute; none is the workspace. */
export function parseCwd(cwd: unknown): string {
  if (cwd === undefined) return '';
  if (typeof cwd !== 'string' || cwd === '' || cwd.includes('\0') || cwd.length > MAX_PATH_LENGTH) {
    throw new Problem('INVALID_REQUEST', 'cwd must be a path, relative to the workspace or absolute');
  }
  return cwd;
}

function parseStdin(stdin: unknown): string | undefined {
  if (stdin === undefined || typeof stdin === 'string') return stdin;
  throw new Problem('INVALID_REQUEST', 'stdin must be a string');
}

/** Seconds. */
export function parseTimeout(name: string, timeout: unknown, fallback: number): number {
  if (timeout === undefined) return fallback;
  if (typeof timeout === 'number' && timeout > 0 && timeout <= MAX_TIMEOUT_SECONDS) return timeout;
  throw new Problem(
    'INVALID_REQUEST',
    `${name} must be seconds, more than 0 and at most ${MAX_TIMEOUT_SECONDS}`,
  );
}
