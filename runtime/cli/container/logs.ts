import type { Berth } from '../../client/berth.ts';
import { BerthError } from '../../client/wire/berth-error.ts';
import { wholeNumber } from '../arguments/values.ts';
import type { Command } from '../command.ts';
import { openService } from '../connection/open-service.ts';
import { escapedLines } from '../terminal/escape.ts';

export const command: Command<'logs'> = async (given, { env, screen }) => {
  const tail = wholeNumber('tail', given.options.tail);
  const berth = await openService(given.options, env);
  const { container, text } = await logsOf(berth, given.arguments.container, tail);
  if (given.options.json) screen.json({ container_id: container, text });
  else if (screen.terminal)
    screen.print(escapedLines(text.endsWith('\n') || text === '' ? text : `${text}\n`));
  else await screen.pass('stdout', text);
  return 0;
};

/** Of a container, or, where there is none of this name, of the one that a conversation has. */
async function logsOf(
  berth: Berth,
  name: string,
  tail: number | undefined,
): Promise<{ container: string; text: string }> {
  const ask = async (container: string) => ({
    container,
    text: await berth.containers.logs(container, tail === undefined ? {} : { tail }),
  });
  try {
    return await ask(name);
  } catch (error) {
    if (!(error instanceof BerthError) || error.code !== 'CONTAINER_NOT_FOUND') throw error;
    const conversation = await berth
      .conversation(name)
      .get()
      .catch(() => undefined);
    if (conversation === undefined) throw error;
    return ask(conversation.container_id);
  }
}
