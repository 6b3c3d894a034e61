import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataDirectory } from '../../../runtime/lifecycle/data-directory.ts';
import { StartFailure } from '../../../runtime/lifecycle/start-failure.ts';

const MODULE = new URL('../../../runtime/lifecycle/data-directory.ts', import.meta.url).href;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-data-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the data directory', () => {
  it('is one process’s at a time, and says whose', () => {
    using _held = new DataDirectory(folder);
    expect(() => new DataDirectory(folder)).toThrow(
      new RegExp(`in use by process ${process.pid}, started .*: stop that one, or set BERTH_DATA_DIR`),
    );
  });

  it('is free again after it is closed', () => {
    new DataDirectory(folder)[Symbol.dispose]();
    expect(() => new DataDirectory(folder)[Symbol.dispose]()).not.toThrow();
  });

  it('is free again after its holder was killed with -9', async () => {
    const script = `import { DataDirectory } from '${MODULE}'; new DataDirectory(${JSON.stringify(folder)});
      console.log('held'); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    expect(() => new DataDirectory(folder)).toThrow(`in use by process ${holder.pid}`);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(() => new DataDirectory(folder)[Symbol.dispose]()).not.toThrow();
  });

  it('keeps what it made, for its owner’s eyes only', () => {
    using data = new DataDirectory(folder);
    expect(data.readOrCreate('secret', () => 'first')).toBe('first');
    expect(data.readOrCreate('secret', () => 'second')).toBe('first');
    expect(statSync(data.file('secret')).mode & 0o777).toBe(0o600);
  });

  it('that can not be made says what to set', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => new DataDirectory(join(folder, 'file', 'below'))).toThrow(StartFailure);
    expect(() => new DataDirectory(join(folder, 'file', 'below'))).toThrow(/set BERTH_DATA_DIR/);
  });
});
