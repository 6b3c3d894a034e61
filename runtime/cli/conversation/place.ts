import { UsageError } from '../command-spec.ts';
import { shown } from '../terminal/escape.ts';

/** A file or folder that a command line names. */
export type Place =
  | { kind: 'stream' }
  | { kind: 'local'; path: string }
  /** Its path is below /workspace, without a slash at either end; '' is all of it. */
  | { kind: 'remote'; conversation: string; path: string; folder: boolean };

/** `-`, `conversation:path`, or a path of this machine: one with a slash before its colon, or without a colon. */
export function parsePlace(text: string): Place {
  if (text === '') throw new UsageError('an empty name is no file');
  if (text === '-') return { kind: 'stream' };
  const colon = text.indexOf(':');
  if (colon <= 0 || text.slice(0, colon).includes('/')) return { kind: 'local', path: text };
  return remotePlace(text.slice(0, colon), text.slice(colon + 1));
}

export function remotePlace(conversation: string, typed: string): Extract<Place, { kind: 'remote' }> {
  const below = typed.replace(/^\/workspace(?=\/|$)/, '');
  if (below === typed && typed.startsWith('/'))
    throw new UsageError(`${shown(typed)} is not below /workspace, where a conversation's files are`);
  const parts = below.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new UsageError(`${shown(typed)}: ".." leads nowhere in a conversation`);
  return { kind: 'remote', conversation, path: parts.join('/'), folder: /(^|\/)\.?$/.test(below) };
}
