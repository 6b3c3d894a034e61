import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of one test file, short enough for sockets. */
export class TestFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'berth-c-'));

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
