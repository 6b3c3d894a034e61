import { text } from 'node:stream/consumers';
import type { ExecuteRequest, ExecutionEvent } from '../../../../runtime/contracts/agent-protocol.ts';
import { runLoop } from './loop.ts';
import { MessagesApi } from './messages-api.ts';
import { RunnerError } from './runner-error.ts';

// A runner for AGENT_COMMAND: one JSON request on stdin, one JSON event a line on stdout, `done` or `error` last.

function say(event: ExecutionEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

try {
  const request: ExecuteRequest = JSON.parse(await text(process.stdin)); // checked by the agent
  say(await runLoop(request, new MessagesApi(process.env, request), say));
} catch (error) {
  if (!(error instanceof RunnerError)) throw error; // the agent tells of it, with what stderr says
  say(error.event);
}
