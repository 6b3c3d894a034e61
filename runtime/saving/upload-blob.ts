import type { AgentClient } from '../agent-client/agent-client.ts';
import { AgentUnreachable } from '../agent-client/agent-failures.ts';
import { isBerthError } from '../contracts/errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import {
  checked,
  collect,
  type Expected,
  OtherContent,
  SMALL_BYTES,
  WatchedContent,
} from './checked-content.ts';

/** Why a file's content could not be had. `broke-off`: it got shorter while it was read, or the agent is gone. */
export type Unread = { kind: 'changed' | 'vanished' } | { kind: 'broke-off'; error: AgentUnreachable };

/**
 * Puts a file's content into the store if it is the expected one: the beginning of the file, where it has grown. A
 * store's failure is thrown, and so is what the agent does wrong.
 */
export async function uploadBlob(
  objects: ObjectStore,
  key: string,
  agent: AgentClient,
  path: string,
  expected: Expected,
  signal: AbortSignal,
): Promise<'stored' | Unread> {
  if (expected.size > SMALL_BYTES) return uploadStream(objects, key, agent, path, expected, signal);
  let content: Buffer;
  try {
    content = await readSmall(agent, path, expected, signal);
  } catch (error) {
    return unreadFor(error, signal);
  }
  await objects.put(key, content, { size: content.length, signal });
  return 'stored';
}

async function readSmall(
  agent: AgentClient,
  path: string,
  expected: Expected,
  signal: AbortSignal,
): Promise<Buffer> {
  const { size, content } = await agent.readFile(path, signal);
  return collect(checked(brokenOff(content), expected, size > expected.size));
}

async function uploadStream(
  objects: ObjectStore,
  key: string,
  agent: AgentClient,
  path: string,
  expected: Expected,
  signal: AbortSignal,
): Promise<'stored' | Unread> {
  // Content that nobody began to read is let go of by its call's signal only.
  const call = new AbortController();
  try {
    const { size, content } = await agent.readFile(path, AbortSignal.any([signal, call.signal]));
    if (size < expected.size) return { kind: 'changed' };
    const file = new WatchedContent(checked(brokenOff(content), expected, size > expected.size));
    try {
      await objects.put(key, file.stream, { size: expected.size, signal });
    } catch (error) {
      throw file.failure ?? error;
    }
    return 'stored';
  } catch (error) {
    return unreadFor(error, signal);
  } finally {
    call.abort();
  }
}

/** An agent that can't give all of a file that it began breaks off: that says nothing yet about the agent. */
class BrokeOff extends Error {
  readonly error: AgentUnreachable;

  constructor(error: AgentUnreachable) {
    super('the file broke off', { cause: error });
    this.error = error;
  }
}

async function* brokenOff(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (error) {
    throw error instanceof AgentUnreachable ? new BrokeOff(error) : error;
  }
}

function unreadFor(error: unknown, signal: AbortSignal): Unread {
  signal.throwIfAborted();
  if (error instanceof BrokeOff) return { kind: 'broke-off', error: error.error };
  if (error instanceof OtherContent || isBerthError(error, 'INVALID_PATH')) return { kind: 'changed' };
  if (isBerthError(error, 'FILE_NOT_FOUND')) return { kind: 'vanished' };
  throw error;
}
