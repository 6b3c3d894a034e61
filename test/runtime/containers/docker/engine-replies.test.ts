import { describe, expect, it } from 'vitest';
import {
  InspectReply,
  ListReply,
  StatsReply,
  toFeatures,
  toStats,
  toView,
  toViews,
} from '../../../../runtime/containers/docker/engine-replies.ts';

const labels = { 'berth.installation': 'ours', 'berth.role': 'conversation' };

describe('the stats of a container', () => {
  const alive = { State: { Status: 'running', ExitCode: 0, OOMKilled: false, FinishedAt: '' } };
  const reply = (stats: Record<string, number>) =>
    StatsReply.parse({
      memory_stats: { usage: 1000, limit: 5000, stats },
      cpu_stats: { cpu_usage: { total_usage: 77 } },
      pids_stats: { current: 3, limit: 18446744073709552000 },
    });

  it('leave the page cache out, under cgroup v1 and v2', () => {
    const expected = { memoryBytes: 600, memoryLimitBytes: 5000, cpuNanoseconds: 77, pids: 3, oomEvents: 0 };
    expect(toStats(reply({ total_inactive_file: 400, inactive_file: 1 }), alive)).toEqual(expected);
    expect(toStats(reply({ inactive_file: 400 }), alive)).toEqual(expected);
  });

  it('are zero for one that does not run', () => {
    const empty = { memory_stats: {}, cpu_stats: { cpu_usage: { total_usage: 0 } }, pids_stats: {} };
    const killed = { State: { ...alive.State, Status: 'exited', OOMKilled: true } };
    expect(toStats(StatsReply.parse(empty), killed)).toMatchObject({ memoryBytes: 0, pids: 0, oomEvents: 1 });
  });
});

describe('the view of a container', () => {
  const inspected = (status: string, change: object = {}) =>
    InspectReply.parse({
      Id: 'abc',
      Name: '/ws-0123456789ab',
      Created: '2026-11-16T04:19:29.956123456Z',
      State: { Status: status, ExitCode: 137, OOMKilled: true },
      Config: { Labels: labels },
      ...change,
    });

  it.each([
    ['created', 'created'],
    ['running', 'running'],
    ['restarting', 'running'],
    ['paused', 'paused'],
    ['exited', 'exited'],
    ['dead', 'exited'],
    ['removing', 'exited'],
  ])('of one that the engine calls %s is %s', (status, state) => {
    expect(toView(inspected(status), 'ours')?.state).toBe(state);
  });

  it('tells the exit of one that ended only', () => {
    expect(toView(inspected('exited'), 'ours')?.exit).toEqual({ code: 137, oomKilled: true });
    expect(toView(inspected('running'), 'ours')?.exit).toBeUndefined();
    const State = { Status: 'exited', ExitCode: 0, OOMKilled: false };
    const at = (FinishedAt: string) =>
      toView(inspected('', { State: { ...State, FinishedAt } }), 'ours')?.exit?.at;
    expect(at('2026-11-16T04:19:29.956123456Z')).toBe(Date.parse('2026-11-16T04:19:29.956Z'));
    expect(at('0001-01-01T00:00:00Z')).toBeUndefined();
  });

  it("takes the time of creation from our label, else from the engine's", () => {
    const labelled = { Config: { Labels: { ...labels, 'berth.created-at': '2020-01-01T00:00:00.000Z' } } };
    expect(toView(inspected('running', labelled), 'ours')?.createdAt).toBe(Date.parse('2020-01-01'));
    expect(toView(inspected('running'), 'ours')?.createdAt).toBe(Date.parse('2026-11-16T04:19:29.956Z'));
  });

  it('is none for what is not ours, has no role of ours or another name', () => {
    expect(toView(inspected('running'), 'theirs')).toBeUndefined();
    expect(toView(inspected('running', { Config: { Labels: null } }), 'ours')).toBeUndefined();
    const odd = { Config: { Labels: { ...labels, 'berth.role': 'other' } } };
    expect(toView(inspected('running', odd), 'ours')).toBeUndefined();
    const row = { Id: 'abc', Created: 1, State: 'running', Labels: labels };
    const rows = ListReply.parse([
      { ...row, Names: ['/renamed'] },
      { ...row, Names: ['/ws-0123456789ab'] },
    ]);
    expect(toViews(rows, 'ours').map(({ id }) => id)).toEqual(['ws-0123456789ab']);
  });
});

it('the features of an engine come from its security options', () => {
  const info = (...SecurityOptions: string[]) => toFeatures({ NCPU: 2, SecurityOptions });
  expect(info('name=seccomp,profile=default')).toEqual({ cpus: 2, apparmor: false, remapsUsers: false });
  expect(info('name=apparmor', 'name=seccomp,profile=builtin').apparmor).toBe(true);
  expect(info('name=userns').remapsUsers).toBe(true);
  expect(info('name=rootless').remapsUsers).toBe(true);
});
