import { seconds, variables } from '../arguments/values.ts';
import type { Command } from '../command.ts';
import { openService } from '../connection/open-service.ts';
import { interruptible } from '../interruptible.ts';
import { asText, hasInput, readInput } from '../standard-input.ts';
import { exitCodeOf, printed } from './program.ts';

/** The whole request is JSON of at most 1 MiB. */
const MOST_INPUT = 1024 * 1024;

export const command: Command<'exec'> = async (given, { env, screen }) => {
  const { conversation, command: cmd } = given.arguments;
  const { timeout, cwd, json } = given.options;
  const request = {
    cmd,
    cwd,
    env: variables(given.options.env, env),
    timeout_seconds: seconds('timeout', timeout),
  };
  const berth = await openService(given.options, env);
  return interruptible(screen, async (signal) => {
    const waits = () => screen.note('berth: waiting for the end of standard input; -n leaves it alone');
    const stdin =
      given.options['no-stdin'] || !hasInput() ? undefined : asText(await readInput(MOST_INPUT, waits));
    let exitCode = 1;
    for await (const event of berth
      .conversation(conversation)
      .execStream({ ...request, stdin }, { signal })) {
      if (json) await screen.jsonLine(event);
      else if (event.type === 'output') await screen.pass(event.stream, printed(event));
      if (event.type !== 'exit') continue;
      exitCode = exitCodeOf(event);
      if (event.timed_out && !json) screen.note('berth: its time was up; --timeout gives it more');
    }
    return exitCode;
  });
};
