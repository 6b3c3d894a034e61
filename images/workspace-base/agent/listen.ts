import { rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Settings } from './settings.ts';

/** Binds the server; rejects with the system's error when that fails. */
export function listen(server: Server, where: Settings['listen']): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const listening = () => {
      server.off('error', reject);
      resolve();
    };
    if (where.mode === 'http') {
      server.listen(where.port, listening);
      return;
    }
    rmSync(where.socket, { force: true });
    // The socket is born 0666, for a runtime of another uid; a chmod later could come after the
    // runtime has moved the file away. Binding happens within this call.
    const umask = process.umask(0o111);
    server.listen(where.socket, listening);
    process.umask(umask);
  });
}
