import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { UsageError } from '../command-spec.ts';
import { asText, readInput } from '../standard-input.ts';
import { shown } from '../terminal/escape.ts';

const LANGUAGES: Readonly<Record<string, string>> = {
  '.py': 'code/python',
  '.sh': 'code/bash',
  '.bash': 'code/bash',
  '.js': 'code/node',
  '.mjs': 'code/node',
  '.cjs': 'code/node',
};
const MOST = 1024 * 1024;

export interface Script {
  text: string;
  model: string | undefined;
}

/** What `run` was given to run. */
export async function readScript(file: string | undefined, code: string | undefined): Promise<Script> {
  if ((file === undefined) === (code === undefined))
    throw new UsageError("give one of the two: a file, or -c 'code'; - is standard input");
  if (code !== undefined) return { text: code, model: undefined };
  if (file === '-') return { text: asText(await readInput(MOST)), model: undefined };
  const text = readText(file ?? '');
  return { text, model: languageOf(file ?? '', text) };
}

/** What a name's ending tells. A `#!` line tells more. */
export function languageOf(file: string, text: string): string | undefined {
  return text.startsWith('#!') ? undefined : LANGUAGES[extname(file).toLowerCase()];
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${shown(file)} can't be read: ${(error as NodeJS.ErrnoException).code}`); // as `fs` documents it
  }
}
