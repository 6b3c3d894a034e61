import { readFileSync } from 'node:fs';
import type { Command } from '../command.ts';
import { UsageError } from '../command-spec.ts';
import { openService } from '../connection/open-service.ts';
import { interruptible } from '../interruptible.ts';
import { hasInput, readInput } from '../standard-input.ts';
import { shown } from '../terminal/escape.ts';
import type { Screen } from '../terminal/screen.ts';

const MOST_INPUT = 256 * 1024 * 1024;
const NEWLINE = 10;

export const command: Command<'function invoke'> = async (given, { env, screen }) => {
  const { data, header, json } = given.options;
  const headers = headersOf(header);
  const typed = data === undefined ? undefined : dataOf(data);
  const berth = await openService(given.options, env);
  return interruptible(screen, async (signal) => {
    const waits = () => screen.note('berth: waiting for the end of standard input; --data gives it here');
    const content = typed ?? (hasInput() ? await readInput(MOST_INPUT, waits) : undefined);
    const answer = await berth.functions.invoke(given.arguments.function, content, {
      headers:
        content !== undefined && isJson(content)
          ? { 'content-type': 'application/json', ...headers }
          : headers,
      signal,
    });
    if (json) screen.json(await described(answer));
    else await printBody(answer, screen);
    if (answer.status < 400) return 0;
    if (!json) screen.note(`berth: it answered with status ${answer.status}`);
    return 1;
  });
};

function headersOf(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*([\x20-\x7e]*)$/.exec(text) ?? [];
      if (name === undefined || value === undefined) throw new UsageError(`--header wants 'Name: value'`);
      return [name.toLowerCase(), value];
    }),
  );
}

function dataOf(text: string): Uint8Array {
  if (!text.startsWith('@')) return Buffer.from(text);
  try {
    return readFileSync(text.slice(1));
  } catch (error) {
    throw new UsageError(`${shown(text.slice(1))} can't be read: ${(error as NodeJS.ErrnoException).code}`); // as `fs` documents it
  }
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

async function described(answer: Response): Promise<object> {
  return {
    status: answer.status,
    worker: answer.headers.get('x-berth-worker'),
    cold_start: answer.headers.get('x-berth-cold-start') === 'true',
    headers: Object.fromEntries(answer.headers),
    body: await answer.text(),
  };
}

/** The very bytes in a pipe; on a terminal the prompt after it gets a line of its own. */
async function printBody({ body }: Response, screen: Screen): Promise<void> {
  let last = NEWLINE;
  for await (const chunk of body ?? []) {
    await screen.pass('stdout', chunk);
    last = chunk.at(-1) ?? last;
  }
  if (screen.terminal && last !== NEWLINE) screen.print('\n');
}
