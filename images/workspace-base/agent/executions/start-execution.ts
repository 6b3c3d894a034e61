import { resolve } from 'node:path';
import type { ExecuteRequest } from '../../../../runtime/contracts/agent-protocol.ts';
import type { Agent } from '../agent.ts';
import { startCommand } from '../exec/command.ts';
import type { CommandOrder } from '../exec/exec-request.ts';
import { isRecord } from '../http/json-body.ts';
import { chooseInterpreter } from './code-language.ts';
import { CodeRunner } from './code-runner.ts';
import { CommandRunner } from './command-runner.ts';
import { EventLog } from './event-log.ts';
import type { ParsedExecuteRequest } from './execute-request.ts';
import type { Execution } from './execution.ts';
import { RunnerExecution } from './runner-execution.ts';

/** Spawns what does the execution; throws a Problem, and leaves nothing behind, when that can't be done. */
export async function startExecution(parsed: ParsedExecuteRequest, agent: Agent): Promise<Execution> {
  const log = new EventLog();
  const runner = agent.command ? new CommandRunner(log) : new CodeRunner(parsed.request.session_id, log);
  let execution: RunnerExecution | undefined;
  // The first output comes after the spawn has been seen to succeed, and the execution made, below.
  const command = await startCommand(
    orderFor(parsed, agent),
    (stream, chunk) => execution?.take(stream, chunk) ?? true,
    agent,
  );
  const { request, timeoutSeconds } = parsed;
  execution = new RunnerExecution({ id: request.execution_id, timeoutSeconds, agent, log, runner, command });
  return execution;
}

/** The program of `AGENT_COMMAND` with the request on stdin, or an interpreter with the script there. */
function orderFor({ request, cwd, env, timeoutSeconds }: ParsedExecuteRequest, agent: Agent): CommandOrder {
  const [program = '', ...args] = agent.command ?? [];
  const what = agent.command
    ? { program, args, stdin: `${JSON.stringify(atOwnProxy(request, agent))}\n` }
    : { ...chooseInterpreter(request.user_input, request.model), stdin: request.user_input };
  return {
    ...what,
    cwd: resolve(agent.root, cwd),
    env: { ...agent.inheritedEnv, ...agent.assignment.env, ...env },
    timeoutMs: timeoutSeconds * 1000,
  };
}

/** Where callers suppose the proxy, since it is there in a network of one's own. */
const USUAL_PROXY = 'http://127.0.0.1:8080/';

/** The same request with the addresses of MCP servers at the port that the proxy really has. */
function atOwnProxy(request: ExecuteRequest, { inheritedEnv }: Agent): ExecuteRequest {
  const own = `${inheritedEnv.HTTP_PROXY}/`;
  const { mcp_server_configs: servers } = request;
  if (servers === undefined || inheritedEnv.HTTP_PROXY === undefined || own === USUAL_PROXY) return request;
  const moved = Object.entries(servers).map(([name, config]) => {
    const url = isRecord(config) && typeof config.url === 'string' ? config.url : '';
    return [name, url.startsWith(USUAL_PROXY) ? { url: own + url.slice(USUAL_PROXY.length) } : config];
  });
  return { ...request, mcp_server_configs: Object.fromEntries(moved) };
}
