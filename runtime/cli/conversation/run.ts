import { randomBytes } from 'node:crypto';
import type { Conversation } from '../../client/conversation.ts';
import type { Execution, ExecutionEvent } from '../../client/execution.ts';
import { seconds, variables } from '../arguments/values.ts';
import type { Command } from '../command.ts';
import { openService } from '../connection/open-service.ts';
import { failureOf } from '../failure.ts';
import { Signals, signalExitCode } from '../signals.ts';
import { escaped } from '../terminal/escape.ts';
import type { Screen } from '../terminal/screen.ts';
import { exitCodeOf, printed, TIME_IS_UP } from './program.ts';
import { readScript } from './script.ts';

const READER_GONE = 141;
/** A connection that breaks is taken up again so often. */
const RETRIES = 6;

export const command: Command<'run'> = async (given, { env, screen }) => {
  const { options } = given;
  const request = {
    cwd: options.cwd,
    env: variables(options.env, env),
    timeout_seconds: seconds('timeout', options.timeout),
  };
  const { text, model } = await readScript(given.arguments.file, options.code);
  const berth = await openService(options, env, { retries: RETRIES });
  const own = options.conversation === undefined;
  const conversation = berth.conversation(options.conversation ?? `run-${randomBytes(6).toString('hex')}`);
  const execution = conversation.execute({ user_input: text, model: options.model ?? model, ...request });
  try {
    return await stream(execution, screen, options.json);
  } finally {
    if (own && execution.executionId !== undefined) await leave(conversation, options.keep, screen);
  }
};

/** Ctrl-C, or a reader that goes, cancels it; it is read on to its end, which is soon. */
async function stream(execution: Execution, screen: Screen, json: boolean): Promise<number> {
  let gone: number | undefined;
  const cancel = () => {
    execution.cancel().catch((error) => screen.note(`berth: ${failureOf(error).message}`));
  };
  using signals = new Signals(['SIGINT', 'SIGTERM', 'SIGHUP'], cancel, (signal) =>
    process.exit(signalExitCode(signal)),
  );
  screen.whenGone = () => {
    if (gone === undefined) cancel();
    gone = READER_GONE;
  };
  let exitCode = 1;
  for await (const event of execution) {
    if (gone !== undefined) continue;
    if (json) await screen.jsonLine(event);
    else await tell(event, screen);
    exitCode = endOf(event) ?? exitCode;
  }
  return signals.exitCode ?? gone ?? exitCode;
}

async function tell(event: ExecutionEvent, screen: Screen): Promise<void> {
  switch (event.type) {
    case 'text_delta':
      return screen.pass(event.stream ?? 'stdout', printed(event));
    case 'gap':
      return screen.note('berth: some of what it said is no longer kept');
    case 'tool_use':
      return screen.notesAreSeen ? screen.note(`[${escaped(event.name)}]`, 'dim') : undefined;
    case 'error':
      return event.error_type === 'cancelled'
        ? undefined
        : screen.note(`berth: ${escaped(`${event.message} (${event.error_type})`)}`);
    default:
      return undefined;
  }
}

/** The code that its last event stands for. An agent has none of its own. */
function endOf(event: ExecutionEvent): number | undefined {
  if (event.type === 'error') return event.error_type === 'timeout_error' ? TIME_IS_UP : 1;
  if (event.type !== 'done') return undefined;
  return event.exit_code === undefined ? Number(event.subtype !== 'success') : exitCodeOf(event);
}

async function leave(conversation: Conversation, keep: boolean, screen: Screen): Promise<void> {
  if (keep) {
    screen.note(`berth: kept as ${conversation.id}`);
    return;
  }
  try {
    await conversation.delete({ purge: true });
  } catch (error) {
    screen.note(`berth: ${conversation.id} was not deleted: ${failureOf(error).message}`);
  }
}
