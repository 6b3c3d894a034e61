import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { UsageError } from '../command-spec.ts';
import { shown } from '../terminal/escape.ts';

const IMAGES: Readonly<Record<string, string>> = {
  '.js': 'function-node',
  '.mjs': 'function-node',
  '.py': 'function-python',
};

/** A file as a function: the image that runs it, and what it is told. */
export function handlerOf(file: string): { image: string; env: { HANDLER_SOURCE: string } } {
  const image = IMAGES[extname(file).toLowerCase()];
  if (image === undefined) throw new UsageError(`${shown(file)}: a handler ends with .js, .mjs or .py`);
  try {
    return { image, env: { HANDLER_SOURCE: readFileSync(file, 'utf8') } };
  } catch (error) {
    throw new UsageError(`${shown(file)} can't be read: ${(error as NodeJS.ErrnoException).code}`); // as `fs` documents it
  }
}
