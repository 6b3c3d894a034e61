import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DaemonOptions, endProcess, endRecorded, isAlive, startDaemon } from './daemon.ts';

let options: DaemonOptions;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-daemon-'));
  options = {
    command: ['sleep', '600'],
    logFile: join(folder, 'log'),
    recordFile: join(folder, 'record.json'),
    ready: async () => true,
    readyWithinMs: 300,
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

it('starts a daemon whose record is enough to end it', async () => {
  const daemon = await startDaemon(options);
  expect(JSON.parse(readFileSync(options.recordFile, 'utf8'))).toEqual(daemon);
  expect(isAlive(daemon)).toBe(true);
  await endRecorded(options.recordFile);
  expect(isAlive(daemon)).toBe(false);
  expect(existsSync(options.recordFile)).toBe(false);
});

it('ends one that ignores SIGTERM', async () => {
  const daemon = await startDaemon({ ...options, command: ['sh', '-c', 'trap "" TERM; exec sleep 600'] });
  await endProcess(daemon, 200);
  expect(isAlive(daemon)).toBe(false);
});

it('leaves another process with the same pid alone', async () => {
  const daemon = await startDaemon(options);
  await endProcess({ ...daemon, startedAt: 'earlier' });
  expect(isAlive(daemon)).toBe(true);
  await endProcess(daemon);
});

it('shows the log of one that ends at once', async () => {
  const failing = startDaemon({
    ...options,
    command: ['sh', '-c', 'echo no such option >&2; exit 1'],
    ready: async () => false,
    readyWithinMs: 10_000,
  });
  await expect(failing).rejects.toThrow('sh ended at once. Its log ends with:\nno such option');
});

it('ends one that does not become ready', async () => {
  const starting = startDaemon({ ...options, ready: async () => false });
  await expect(starting).rejects.toThrow('sleep was not ready in 0.3 s');
  expect(existsSync(options.recordFile)).toBe(false);
});

it('tells of a program that is not there', async () => {
  await expect(startDaemon({ ...options, command: ['berth-no-such-program'] })).rejects.toThrow('ENOENT');
});
