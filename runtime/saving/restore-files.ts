import { addAbortSignal, Readable } from 'node:stream';
import type { AgentClient } from '../agent-client/agent-client.ts';
import { AgentMisbehaved } from '../agent-client/agent-failures.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { atATime } from './at-a-time.ts';
import { collect, SMALL_BYTES, WatchedContent } from './checked-content.ts';
import { openBlob } from './open-blob.ts';
import type { FilesOwner } from './saved-keys.ts';
import { readSavedManifest, type SavedFile } from './saved-manifest.ts';

const FILES_AT_A_TIME = 5;

/**
 * Writes all saved files to a fresh container. Returns the version that they are of, or null when nothing is saved.
 * When it throws, the container has some of them and must not be used. It gets none before `proof` resolves.
 */
export async function restoreFiles(
  objects: ObjectStore,
  owner: FilesOwner,
  agent: AgentClient,
  { signal, proof }: { signal: AbortSignal; proof?: Promise<unknown> },
): Promise<string | null> {
  signal.throwIfAborted();
  const [saved] = await Promise.all([readSavedManifest(objects, owner), proof]);
  if (saved === undefined) return null;
  await atATime(FILES_AT_A_TIME, saved.manifest.files, signal, ([path, file], stop) =>
    restoreFile(objects, owner, agent, path, file, stop),
  );
  return saved.version;
}

async function restoreFile(
  objects: ObjectStore,
  owner: FilesOwner,
  agent: AgentClient,
  path: string,
  file: SavedFile,
  signal: AbortSignal,
): Promise<void> {
  const { content, source } = await openBlob(objects, owner, path, file);
  addAbortSignal(signal, source);
  try {
    if (file.size > SMALL_BYTES) {
      await writeStream(agent, path, content, file.mode, signal);
    } else {
      const bytes = await collect(content);
      await agent.writeFile(path, Readable.from([bytes]), signal, file.mode);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    source.destroy();
  }
}

async function writeStream(
  agent: AgentClient,
  path: string,
  content: AsyncIterable<Buffer>,
  mode: number,
  signal: AbortSignal,
): Promise<void> {
  const watched = new WatchedContent(content);
  try {
    await agent.writeFile(path, watched.stream, signal, mode);
  } catch (error) {
    throw watched.failure ?? error;
  }
  if (!watched.complete) throw new AgentMisbehaved('it took a file before it had all of it');
}
