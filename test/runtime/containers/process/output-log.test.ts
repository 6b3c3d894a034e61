import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OutputLog, readLog } from '../../../../runtime/containers/process/output-log.ts';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';

let folder: TestFolder;
let path: string;
beforeEach(() => {
  folder = new TestFolder();
  path = join(folder.path, 'log');
});
afterEach(() => folder.remove());

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => Buffer.from(`line ${from + index}\n`));

it('holds what both streams said, and the last lines can be read', async () => {
  await new OutputLog(path).record([Readable.from(lines(0, 5)), Readable.from([Buffer.from('an error\n')])]);
  expect((await readLog(path, 100)).split('\n')).toHaveLength(7);
  expect(await readLog(path, 100)).toContain('an error\n');
  expect((await readLog(path, 2)).trim().split('\n')).toHaveLength(2);
  expect(await readLog(path, 0)).toBe('');
});

it('never takes more than twice its size, and loses the oldest first', async () => {
  await new OutputLog(path, 1000).record([Readable.from(lines(0, 1000))]);
  expect(statSync(path).size + statSync(`${path}.1`).size).toBeLessThanOrEqual(2000);
  const read = (await readLog(path, 1000)).trim().split('\n');
  expect(read.at(-1)).toBe('line 999');
  expect(read.length).toBeGreaterThan(100);
});

it('is empty before anything was said', async () => {
  expect(await readLog(path, 10)).toBe('');
});
