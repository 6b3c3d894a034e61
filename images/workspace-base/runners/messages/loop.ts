import type {
  ExecuteRequest,
  ExecutionEnd,
  ExecutionEvent,
} from '../../../../runtime/contracts/agent-protocol.ts';
import { BASH, runBash } from './bash-tool.ts';
import type { Block, Message, ToolResult, Usage } from './message-types.ts';
import type { MessagesApi } from './messages-api.ts';
import { RunnerError } from './runner-error.ts';

type Say = (event: ExecutionEvent) => void;

/** Asks the model, runs the tools it calls, and asks again, until it calls none. */
export async function runLoop(request: ExecuteRequest, model: MessagesApi, say: Say): Promise<ExecutionEnd> {
  const startedAt = performance.now();
  const tools = request.allowed_tools?.includes(BASH.name) === false ? [] : [BASH];
  const messages: Message[] = [{ role: 'user', content: request.user_input }];
  const usage: Usage = {};
  let text = '';

  const done = (subtype: string, num_turns: number): ExecutionEnd => ({
    type: 'done',
    subtype,
    result: text,
    ...(request.session_id !== undefined && { session_id: request.session_id }),
    num_turns,
    duration_ms: Math.round(performance.now() - startedAt),
    usage,
  });

  const { max_turns = Infinity } = request;
  for (let turn = 1; turn <= max_turns; turn += 1) {
    const { content, stopReason, ...reply } = await model.ask(messages, tools, say);
    for (const [name, count] of Object.entries(reply.usage)) usage[name] = (usage[name] ?? 0) + count;
    text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    if (stopReason === 'model_context_window_exceeded') {
      throw new RunnerError('context_limit_exceeded', 'the conversation fills the context of the model');
    }
    if (stopReason !== 'tool_use') return done(subtypeOf(stopReason), turn);

    const results: ToolResult[] = [];
    for (const block of content) {
      if (block.type === 'tool_use') results.push(await useTool(block, tools.length > 0, say));
    }
    messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  }
  return done('error_max_turns', max_turns);
}

const subtypeOf = (stopReason: string): string =>
  stopReason === 'end_turn' || stopReason === 'stop_sequence' ? 'success' : `error_${stopReason}`;

async function useTool(use: Block & { type: 'tool_use' }, allowed: boolean, say: Say): Promise<ToolResult> {
  const { id, name, input } = use;
  say({ type: 'tool_use', id, name, input });
  const command = bashCommand(name, input);
  const result =
    allowed && command !== undefined
      ? await runBash(command)
      : { content: `there is no tool ${name} with such an input`, is_error: true };
  say({ type: 'tool_result', id, ...result });
  return { type: 'tool_result', tool_use_id: id, ...result };
}

function bashCommand(name: string, input: unknown): string | undefined {
  if (name !== BASH.name || typeof input !== 'object' || input === null || !('command' in input))
    return undefined;
  return typeof input.command === 'string' ? input.command : undefined;
}
