import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { socketBasePath } from '../../../runtime/containers/socket-base-path.ts';

describe('the folder of the sockets', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const at = (given: string, installation = 'one') =>
    socketBasePath({ given, dataDir: folder, installation });

  it('is made below the given place, for its owner only', () => {
    const path = at(folder);
    expect(path.startsWith(`${folder}/`)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(at(folder)).toBe(path);
  });

  it('is another for another installation', () => {
    expect(at(folder, 'two')).not.toBe(at(folder, 'one'));
  });

  it('that would make the path of a socket too long is refused, with what to set', () => {
    expect(() => at(join(folder, 'x'.repeat(80)))).toThrow(
      /set WORKSPACE_SOCKET_BASE_PATH to .* at most \d+ bytes/,
    );
  });

  it('that can not be made is refused', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => at(join(folder, 'file'))).toThrow(/can hold the sockets/);
  });
});
