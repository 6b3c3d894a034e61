import type { ExecuteRequest } from '../../../../runtime/contracts/agent-protocol.ts';
import { parseEnvironment } from '../exec/environment.ts';
import { parseCwd, parseTimeout } from '../exec/exec-request.ts';
import { isRecord } from '../http/json-body.ts';
import { Problem } from '../problem.ts';

const EXECUTION_ID = /^[A-Za-z0-9_-]{1,64}$/;
const DEFAULT_TIMEOUT_SECONDS = 600;

/** A checked request, and what the agent itself needs of it. */
export interface ParsedExecuteRequest {
  request: ExecuteRequest;
  cwd: string;
  env: Record<string, string>;
  timeoutSeconds: number;
}

/** Checks the body of `/execute`. Fields that it does not know are left out. */
export function parseExecuteRequest(body: unknown): ParsedExecuteRequest {
  if (!isRecord(body)) throw new Problem('INVALID_REQUEST', 'the body must be a JSON object');
  const { execution_id, user_input } = body;
  if (typeof execution_id !== 'string' || !EXECUTION_ID.test(execution_id)) {
    throw new Problem('INVALID_REQUEST', 'execution_id must be 1 to 64 letters, digits, _ or -');
  }
  if (typeof user_input !== 'string') throw new Problem('INVALID_REQUEST', 'user_input must be a string');
  const cwd = parseCwd(body.cwd);
  const env = parseEnvironment(body.env);
  const timeoutSeconds = parseTimeout('timeout_seconds', body.timeout_seconds, DEFAULT_TIMEOUT_SECONDS);
  const request: ExecuteRequest = {
    execution_id,
    user_input,
    ...field('system_prompt', body.system_prompt, isString, 'a string'),
    ...field('model', body.model, isString, 'a string'),
    ...field('session_id', body.session_id, isString, 'a string'),
    ...field('max_turns', body.max_turns, isCount, 'a whole number of at least 1'),
    ...field('allowed_tools', body.allowed_tools, isStrings, 'an array of strings'),
    ...field('mcp_server_configs', body.mcp_server_configs, isRecord, 'an object'),
    ...(body.cwd !== undefined && { cwd }),
    ...(body.env !== undefined && { env }),
    ...(body.timeout_seconds !== undefined && { timeout_seconds: timeoutSeconds }),
  };
  return { request, cwd, env, timeoutSeconds };
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1;
const isStrings = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString);

/** A field that may be missing, as an object to spread. */
function field<Name extends string, T>(
  name: Name,
  value: unknown,
  fits: (value: unknown) => value is T,
  kind: string,
): { [name in Name]?: T } {
  if (value === undefined) return {};
  if (!fits(value)) throw new Problem('INVALID_REQUEST', `${name} must be ${kind}`);
  // The cast: a computed key makes TypeScript forget which key it is.
  return { [name]: value } as { [name in Name]?: T };
}
