import { type FSWatcher, watch } from 'node:fs';
import type { WebSocket } from 'ws';
import { homePath } from '../files/home-path.ts';
import { parseObject } from '../http/parse-object.ts';
import { Problem } from '../problem.ts';

const MAX_FOLDERS = 200;
/** One message for what changes together, as with `git checkout`. */
const GATHER_MS = 150;

/**
 * `WebSocket api/watch`: the page names the folders that it shows, and hears which of them changed. Only those are
 * watched: all of a home with its node_modules would take a watch for each of ten thousand folders.
 */
export function serveWatch(socket: WebSocket, home: string): void {
  const watched = new Map<string, FSWatcher>();
  const changed = new Set<string>();
  let telling: NodeJS.Timeout | undefined;

  const tell = (): void => {
    telling = undefined;
    socket.send(JSON.stringify({ changed: [...changed] }));
    changed.clear();
  };
  const notice = (folder: string): void => {
    changed.add(folder);
    telling ??= setTimeout(tell, GATHER_MS);
  };
  const unwatch = (folder: string): void => {
    watched.get(folder)?.close();
    watched.delete(folder);
  };
  const begin = (folder: string): void => {
    try {
      const watcher = watch(homePath(home, folder), { persistent: false }, () => notice(folder));
      watcher.on('error', () => unwatch(folder));
      watched.set(folder, watcher);
    } catch (error) {
      // Gone meanwhile, or no watches left: the page looks again by itself when it gets the focus.
      if (!(error instanceof Problem) && !(error instanceof Error && 'syscall' in error)) throw error;
    }
  };

  socket.on('message', (data) => {
    const { folders } = parseObject(data.toString());
    if (!Array.isArray(folders)) return;
    const wanted = new Set<string>(folders.filter((name) => typeof name === 'string').slice(0, MAX_FOLDERS));
    for (const folder of watched.keys()) if (!wanted.has(folder)) unwatch(folder);
    for (const folder of wanted) if (!watched.has(folder)) begin(folder);
    socket.send(JSON.stringify({ watching: watched.size }));
  });
  socket.on('close', () => {
    clearTimeout(telling);
    for (const folder of watched.keys()) unwatch(folder);
  });
}
