import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findPulumi } from './engine.ts';

describe('the Pulumi engine of the tests', () => {
  let folder: string;
  const said: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-engine-'));
    said.length = 0;
    vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
    vi.stubEnv('PATH', folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const find = () => findPulumi((line) => said.push(line));
  const program = (name: string, script: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  };

  it('is the one on the path', async () => {
    program('pulumi', 'echo v3.251.0');
    expect(await find()).toEqual({ folder });
  });

  it('is not one that is too old', async () => {
    program('pulumi', 'echo v3.99.0');
    expect(await find()).toEqual({ problem: expect.stringContaining('nor Go is on the path') });
    expect(said).toEqual([expect.stringContaining('is 3.99.0, older than 3.250.0')]);
  });

  it('is one that was built before, where there is no Go any more', async () => {
    const built = join(folder, 'cache/berth/pulumi/3.250.0-3.66.0');
    mkdirSync(built, { recursive: true });
    for (const name of ['pulumi', 'pulumi-language-nodejs']) writeFileSync(join(built, name), '');
    expect(await find()).toEqual({ folder: built });
  });

  it('is built whole or not at all: an error says what Go said, and nothing stays', async () => {
    program('go', 'echo "no such module" >&2; exit 1');
    expect(await find()).toEqual({ problem: expect.stringContaining('no such module') });
    expect(await find()).toEqual({ problem: expect.stringContaining('no such module') });
  });
});
