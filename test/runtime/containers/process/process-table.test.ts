import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import {
  fromPs,
  parseStat,
  readProcessTable,
  sameProcess,
} from '../../../../runtime/containers/process/process-table.ts';
import { must } from '../../../support/must.ts';

it('this process is in the table', async () => {
  const table = await readProcessTable();
  const own = must(table.get(process.pid));
  expect(own).toMatchObject({ parent: process.ppid, stopped: false });
  expect(own.memoryBytes).toBeGreaterThan(10_000_000);
  expect(own.cpuNanoseconds).toBeGreaterThan(0);
  expect(sameProcess(table, own)).toBe(own);
  expect(sameProcess(table, { pid: process.pid, started: 'earlier' })).toBeUndefined();
});

it('a name with brackets and spaces does not mislead', () => {
  const rest = `S 7 8 9 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 555 1000 10 ${'0 '.repeat(28)}`;
  expect(parseStat(`42 (a) R (b) ${rest}`, 'boot', 4096)).toEqual({
    pid: 42,
    started: 'boot/555',
    parent: 7,
    session: 9,
    stopped: false,
    blocked: false,
    memoryBytes: 40_960,
    cpuNanoseconds: 100_000_000,
  });
  expect(parseStat(`42 (gone) Z ${rest.slice(2)}`, 'boot', 4096)).toBeUndefined();
  expect(parseStat('', 'boot', 4096)).toBeUndefined();
});

it('what ps says is read alike, for machines without /proc', async () => {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,sess=,stat=,rss=,time=,lstart='], {
    encoding: 'utf8',
  });
  const own = must(fromPs(text).find(({ pid }) => pid === process.pid));
  const known = must((await readProcessTable()).get(process.pid));
  expect(own).toMatchObject({ parent: known.parent, stopped: false });
  expect(own.memoryBytes).toBeGreaterThan(10_000_000);
  expect(own.started).toMatch(/\d\d:\d\d:\d\d \d{4}$/);
  expect(fromPs('5 1 5 Ts 100 1-02:03:04 Mon Nov 16 04:19:29 2026')).toEqual([
    {
      pid: 5,
      parent: 1,
      session: 5,
      stopped: true,
      blocked: false,
      memoryBytes: 102_400,
      cpuNanoseconds: 93_784e9,
      started: 'Mon Nov 16 04:19:29 2026',
    },
  ]);
});
