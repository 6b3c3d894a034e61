import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contextHash, settle } from '../../../images/builder/image-context.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-context-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A context as it comes of a umask: a program and a text, in a folder. */
function made(umask: number): string {
  const context = join(folder, String(umask));
  mkdirSync(join(context, 'bundle'), { recursive: true });
  for (const [name, mode] of [
    ['run.sh', 0o777],
    ['text', 0o666],
  ] as const) {
    writeFileSync(join(context, 'bundle', name), name);
    chmodSync(join(context, 'bundle', name), mode & ~umask);
  }
  chmodSync(join(context, 'bundle'), 0o777 & ~umask);
  settle(context);
  return context;
}
const modeOf = (...path: string[]) => statSync(join(...path)).mode & 0o777;

describe("an image's context", () => {
  it('is the same with any umask, so that a tag is the same image', () => {
    const hashes = [0o002, 0o022, 0o027, 0o077].map((umask) => contextHash(made(umask), []));
    expect(new Set(hashes)).toHaveLength(1);
  });

  it('can be read by whoever an image runs as, and keeps what can be executed', () => {
    const context = made(0o077);
    expect(modeOf(context, 'bundle')).toBe(0o755);
    expect(modeOf(context, 'bundle', 'run.sh')).toBe(0o755);
    expect(modeOf(context, 'bundle', 'text')).toBe(0o644);
  });

  it('is another with another content, or when a file can be executed', () => {
    const context = made(0o022);
    const before = contextHash(context, []);
    chmodSync(join(context, 'bundle', 'text'), 0o755);
    settle(context);
    expect(contextHash(context, [])).not.toBe(before);
  });
});
