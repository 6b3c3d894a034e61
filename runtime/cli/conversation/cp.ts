import { openAsBlob } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Conversation } from '../../client/conversation.ts';
import type { Command } from '../command.ts';
import { Failure, UsageError } from '../command-spec.ts';
import { openService } from '../connection/open-service.ts';
import { inParallel } from '../in-parallel.ts';
import { interruptible } from '../interruptible.ts';
import { escaped, shown } from '../terminal/escape.ts';
import { size } from '../terminal/measures.ts';
import type { Screen } from '../terminal/screen.ts';
import { filesIn, kindOf, mustBe, writeWhole } from './local-files.ts';
import { type Place, parsePlace } from './place.ts';
import { filesBelow, leadsOut, localTarget, remoteTarget } from './plan-copy.ts';

type Remote = Extract<Place, { kind: 'remote' }>;
type Here = Exclude<Place, Remote>;
type Copied = { from: string; to: string; bytes: number | null }[];

interface Copying {
  conversation: Conversation;
  recursive: boolean;
  durable: boolean;
  screen: Screen;
  signal: AbortSignal;
}

const AT_ONCE = 8;

export const command: Command<'cp'> = async (given, { env, screen }) => {
  const [from, to] = [parsePlace(given.arguments.from), parsePlace(given.arguments.to)];
  const { recursive, durable, json } = given.options;
  const remote = from.kind === 'remote' ? from : to.kind === 'remote' ? to : undefined;
  if (remote === undefined)
    throw new UsageError('one of the two must be in a conversation: conversation:path');
  if (from.kind === 'remote' && to.kind === 'remote')
    throw new UsageError('one of the two must be here: copy it out first, then in');
  if (from.kind === 'local') checkSource(from.path, recursive);
  const berth = await openService(given.options, env);
  return interruptible(screen, async (signal) => {
    const conversation = berth.conversation(remote.conversation);
    const copying = { conversation, recursive, durable, screen, signal };
    const copied =
      from.kind === 'remote' ? await out(from, to as Here, copying) : await into(from, remote, copying); // both remote: refused above
    if (json) screen.json({ copied });
    else if (recursive && screen.notesAreSeen) screen.note(summary(copied), 'dim');
    return 0;
  });
};

function checkSource(path: string, recursive: boolean): void {
  if (mustBe(path) === 'folder' && !recursive)
    throw new UsageError(`${shown(path)} is a folder; -r copies it`);
}

async function into(from: Here, to: Remote, copying: Copying): Promise<Copied> {
  const { conversation, durable, signal, screen } = copying;
  const copied: Copied = [];
  const write = async (path: string, name: string): Promise<void> => {
    const content = await openAsBlob(path);
    await conversation.files.write(name, content, { durable, signal });
    copied.push({ from: path, to: name, bytes: content.size });
  };
  if (from.kind === 'stream') {
    if (to.path === '' || to.folder)
      throw new UsageError('standard input has no name: say conversation:name');
    const content = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>; // Node's own type is not the platform's
    await conversation.files.write(to.path, content, { durable, signal });
    return [{ from: '-', to: to.path, bytes: null }];
  }
  const target = remoteTarget(from.path, to);
  if (kindOf(from.path) === 'file') {
    await write(from.path, target);
    return copied;
  }
  const { files, skipped } = await filesIn(from.path);
  for (const path of skipped) screen.note(`berth: left out ${shown(join(from.path, path))}: no file`);
  await inParallel(files, AT_ONCE, (path) =>
    write(join(from.path, path), target === '' ? path : `${target}/${path}`),
  );
  return copied;
}

async function out(from: Remote, to: Here, copying: Copying): Promise<Copied> {
  const { conversation, recursive, signal, screen } = copying;
  if (to.kind === 'stream' || !recursive) {
    if (from.path === '') throw new UsageError('that is everything; -r copies folders');
    const content = await conversation.files.read(from.path, { signal });
    if (to.kind === 'stream') {
      for await (const chunk of content) await screen.pass('stdout', chunk);
      return [{ from: from.path, to: '-', bytes: null }];
    }
    const target = localTarget(from.path, to.path, isFolder(to.path));
    await writeWhole(target, content, { signal });
    return [{ from: from.path, to: target, bytes: null }];
  }
  const { files, skipped, truncated } = await conversation.files.list({ signal });
  const found = filesBelow(files, from.path);
  if (found.length === 0) throw new Failure(`there is no ${shown(from.path)} in ${conversation.id}`);
  for (const { path, reason } of skipped) screen.note(`berth: left out ${shown(path)}: ${escaped(reason)}`);
  if (truncated) screen.note('berth: there are more files than the service lists; the rest is left out');
  const named =
    from.path !== '' && !from.folder && isFolder(to.path) ? join(to.path, basename(from.path)) : to.path;
  const copied: Copied = [];
  await inParallel(found, AT_ONCE, async ({ file, rest }) => {
    if (leadsOut(rest))
      throw new Failure(`the service names a file that leads out of ${shown(to.path)}: ${shown(file.path)}`);
    const target = join(named, rest);
    const content = await conversation.files.read(file.path, { signal });
    await writeWhole(target, content, { mode: file.mode & 0o777, signal });
    copied.push({ from: file.path, to: target, bytes: file.size });
  });
  return copied;
}

function isFolder(path: string): boolean {
  return path.endsWith('/') || kindOf(path) === 'folder';
}

function summary(copied: Copied): string {
  const bytes = copied.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
  return `${copied.length} ${copied.length === 1 ? 'file' : 'files'}, ${size(bytes)}`;
}
