import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Overview } from '../../../runtime/overview/overview.ts';
import { OverviewFeed } from '../../../runtime/overview/overview-feed.ts';
import type { Viewer } from '../../../runtime/overview/overview-view.ts';
import { PacedLook } from '../../../runtime/overview/paced-look.ts';
import { PoolHistory } from '../../../runtime/overview/pool-history.ts';
import { RecentActivity } from '../../../runtime/overview/recent-activity.ts';
import { noConversations, type Standing } from '../../../runtime/overview/standing.ts';

const ADMIN = { tenant: 'ops', scope: 'admin' } as const;
const ACME = { tenant: 'acme', scope: 'use' } as const;

function standing(running = 1): Standing {
  return {
    conversations: new Map([
      ['acme', { ...noConversations(), running }],
      ['globex', { ...noConversations(), idle: 3 }],
    ]),
    containersUsed: 95,
    pool: { warm: 1, starting: 0, target: 2, min_size: 2, max_size: 4 },
    workspaces: {
      // The casts: ids of a test's own.
      counts: [
        { tenant: 'acme' as never, status: 'RUNNING', count: 2 },
        { tenant: 'globex' as never, status: 'ERROR', count: 1 },
      ],
      inError: [
        {
          tenant: 'globex' as never,
          id: 'broken' as never,
          code: 'IMAGE_PULL_FAILED',
          message: 'no such image',
        },
      ],
    },
    functions: [
      {
        tenant: 'globex',
        name: 'resize',
        workers: { provisioning: 0, idle: 0, paused: 0, busy: 0, terminating: 0 },
        min_capacity: 0,
        max_capacity: 1,
        waiting: 0,
        breaker_open: true,
      },
    ],
    dependencies: [
      { name: 'store', ready: true, vital: true, detail: 'ok' },
      { name: 'objects', ready: false, vital: false, detail: 'refused' },
    ],
    refused: 7,
    breaker: { open: true, held: 4 },
    stale: [],
  };
}

function feedOf(look: () => Promise<Standing>): { feed: OverviewFeed; activity: RecentActivity } {
  const activity = new RecentActivity();
  const facts = { version: '1', backend: 'docker', instance: 'i', started_at: '2026-01-01T00:00:00Z' };
  const memories = { facts, maxContainers: 100, activity, history: new PoolHistory(), refusals: undefined };
  return { feed: new OverviewFeed(look, memories), activity };
}

it('shows an admin everything, problems first, and a tenant what is its own', async () => {
  const { feed, activity } = feedOf(async () => standing());
  activity.unsaved({ tenant: 'acme', conversation: 'c1' });
  activity.executionEnded({ tenant: 'acme' }, 'completed');
  activity.executionEnded({ tenant: 'globex' }, 'failed');
  const all = await feed.now(ADMIN);
  expect(all).toMatchObject({
    status: 'ready',
    conversations: { running: 1, idle: 3 },
    containers: { used: 95, limit: 100 },
    pool: { warm: 1, target: 2 },
    egress: { refused_total: 7, recent: null },
    workspaces: { by_status: { RUNNING: 2, ERROR: 1 }, in_error: ['broken'] },
    breaker: { open: true, held: 4 },
  });
  expect(all.executions.failed.at(-1)).toBe(1);
  expect(all.problems.map(({ severity }) => severity)).toEqual([
    ...['critical', 'critical'],
    ...['warning', 'warning', 'warning', 'warning'],
  ]);
  expect(all.problems.map(({ text }) => text).join('\n')).toMatch(
    /breaker holds 4.*c1.*objects is down.*broken.*resize.*95 of 100/s,
  );

  const own = await feed.now(ACME);
  expect(own.problems.map(({ target }) => target)).toEqual([{ kind: 'conversation', id: 'c1' }]);
  expect(own).toMatchObject({
    conversations: { running: 1, idle: 0 },
    ...{ containers: null, pool: null, dependencies: null, breaker: null, functions: [] },
    egress: { refused_total: null },
    workspaces: { by_status: { RUNNING: 2 }, in_error: [] },
  });
  expect(own.executions.completed.at(-1)).toBe(1);
  expect(own.executions.failed.at(-1)).toBe(0);
  expect(JSON.stringify(own)).not.toMatch(/globex|resize|broken/);
  feed.close();
});

it('hides no problem behind the many of another tenant, or of another kind', async () => {
  const { feed, activity } = feedOf(async () => standing());
  for (let n = 0; n < 300; n += 1) activity.unsaved({ tenant: 'acme', conversation: `c${n}` });
  activity.unsaved({ tenant: 'initech', conversation: 'lost' });
  for (let n = 0; n < 300; n += 1) activity.unsaved({ tenant: 'acme', conversation: `d${n}` });
  const targets = async (viewer: Viewer) => (await feed.now(viewer)).problems.map(({ target }) => target);
  expect(await targets({ tenant: 'initech', scope: 'use' })).toEqual([{ kind: 'conversation', id: 'lost' }]);
  expect(await targets({ tenant: 'globex', scope: 'use' })).toEqual([
    { kind: 'workspace', id: 'broken' },
    { kind: 'function', id: 'resize' },
  ]);
  const all = await targets(ADMIN);
  expect(all).toContainEqual({ kind: 'workspace', id: 'broken' });
  expect(all.length).toBeLessThan(100);
  feed.close();
});

it('looks once a second for however many watch, tells only what changed, and rests when nobody does', async () => {
  let looks = 0;
  let running = 1;
  const { feed } = feedOf(async () => {
    looks += 1;
    return standing(running);
  });
  const leaving = new AbortController();
  const heard = Array.from({ length: 50 }, () => [] as Overview[]);
  const began = performance.now();
  const streams = heard.map(async (texts, at) => {
    for await (const text of feed.follow(at % 2 === 0 ? ADMIN : ACME, leaving.signal))
      texts.push(JSON.parse(text));
  });
  await expect.poll(() => looks, { timeout: 30_000 }).toBeGreaterThanOrEqual(6);
  // Nothing has changed but, perhaps, the minute and the pool's next sample.
  for (const texts of heard) expect([1, 2, 3]).toContain(texts.length);
  running = 2;
  await expect
    .poll(() => heard.every((texts) => texts.at(-1)?.conversations.running === 2), { timeout: 30_000 })
    .toBe(true);
  // One at the beginning, and then at most one a second, whatever the machine does.
  expect(looks).toBeLessThanOrEqual(2 + (performance.now() - began) / 1000);
  leaving.abort();
  await Promise.all(streams);
  const atRest = looks;
  // Another, which is watched, shows how time goes by.
  let others = 0;
  const { feed: other } = feedOf(async () => standing(++others));
  for await (const _ of other.follow(ADMIN, new AbortController().signal)) if (others > 3) break;
  expect(looks).toBeLessThanOrEqual(atRest + 1);
  other.close();
  feed.close();
});

it('ends the streams when it closes', async () => {
  const { feed } = feedOf(async () => standing());
  const texts: string[] = [];
  const stream = (async () => {
    for await (const text of feed.follow(ADMIN, new AbortController().signal)) texts.push(text);
  })();
  await expect.poll(() => texts.length).toBe(1);
  feed.close();
  await stream;
});

it('goes on with what it knows where a look fails, and does not look more often than it may cost', async () => {
  let fails = false;
  let looks = 0;
  const look = new PacedLook('store', 1, async () => {
    looks += 1;
    await sleep(20);
    if (fails) throw new Error('away');
    return looks;
  });
  await look.refresh();
  expect([look.value, look.isStale]).toEqual([1, false]);
  const began = performance.now();
  for (let asked = 0; asked < 20; asked += 1) {
    await sleep(5);
    await look.refresh();
  }
  // 20 ms are paid for with 400.
  expect(looks).toBeLessThanOrEqual(2 + (performance.now() - began) / 400);
  const last = look.value;
  fails = true;
  await expect
    .poll(async () => {
      await look.refresh();
      return look.isStale;
    })
    .toBe(true);
  expect(look.value).toBeGreaterThanOrEqual(last ?? 1);
});
