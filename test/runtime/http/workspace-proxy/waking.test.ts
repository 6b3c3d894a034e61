import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tenant, workspace } from '../../../contract/database/workspace-scenario.ts';
import { eventually } from './eventually.ts';
import { BEARER, ProxyWorld } from './proxy-world.ts';

describe('a workspace that does not run', () => {
  let world: ProxyWorld;
  beforeEach(async () => {
    world = await ProxyWorld.open({ limits: { all: 10, ofKey: 1 } });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  /** What a reconciler would bring about. */
  const starts = async (id = workspace()) => {
    await world.serve(
      id,
      createServer((request, response) => response.end(`hello ${request.method}`)),
    );
    await world.observed('RUNNING', 'engine', id);
  };
  const wanted = (id = workspace()) =>
    eventually(async () => expect((await world.scenario.row(id)).desiredState).toBe('RUNNING'));
  const fails = async (terminal: boolean, message = 'no such image') => {
    await world.scenario.begun('STARTING');
    const { desiredVersion } = await world.scenario.row();
    const error = {
      code: 'IMAGE_PULL_FAILED',
      message,
      count: 1,
      terminal,
      retrySeconds: 30,
      desiredVersion,
    };
    await world.under.database.workspaces.reconciler.fail({ workspace: workspace(), opId: 'op-1' }, error);
    world.activity.hint();
    await sleep(1);
  };

  it.each(['STANDBY', 'PENDING'] as const)('is woken from %s by a request, which is held', async (state) => {
    await world.settled(state);
    const answer = world.fetch('/w/one/', { method: 'POST', body: 'body' });
    await wanted();
    await starts();
    expect(await (await answer).text()).toBe('hello POST');
  });

  it('is woken once by many, who are all answered', async () => {
    const { desiredVersion } = await world.settled('STANDBY');
    const all = Array.from({ length: 20 }, () => world.fetch('/w/one/'));
    await wanted();
    await starts();
    for (const answer of await Promise.all(all)) expect(answer.status).toBe(200);
    // One word for the wake, one for the first connection.
    await eventually(async () =>
      expect((await world.scenario.row()).desiredVersion).toBe(desiredVersion + 2),
    );
  });

  it('is woken for whoever goes away meanwhile, too', async () => {
    await world.settled('STANDBY');
    const gone = new AbortController();
    const answer = world.fetch('/w/one/', { signal: gone.signal });
    await wanted();
    gone.abort();
    await expect(answer).rejects.toThrow();
    await starts();
    expect((await world.fetch('/w/one/')).status).toBe(200);
  });

  it('is kept running for whoever comes while it is about to be stopped', async () => {
    await world.running((_, response) => response.end('still here'));
    const [seen] = [await world.scenario.row()];
    await world.under.database.workspaces.ttl.standby(seen);
    world.activity.hint();
    await sleep(1);
    expect(await (await world.fetch('/w/one/')).text()).toBe('still here');
    expect((await world.scenario.row()).desiredState).toBe('RUNNING');
  });

  it('is waited for so long, and not longer', async () => {
    await using brief = await ProxyWorld.open({ settings: { wakeSeconds: 0.2 } });
    await brief.settled('STANDBY');
    const answer = await brief.fetch('/w/one/');
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.json()).toMatchObject({ status: 503, code: 'WORKSPACE_UNAVAILABLE' });
    expect((await brief.scenario.row()).desiredState).toBe('RUNNING');
  });

  it('tells whoever opens it in a browser to wait, and how far it is', async () => {
    await world.settled('STANDBY');
    const page = await world.browse('/w/one/deep?link', BEARER);
    expect(page.status).toBe(503);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '2',
      'x-content-type-options': 'nosniff',
    });
    const policy = page.headers['content-security-policy'] ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'/,
    );
    expect(page.text).toContain('data-base="/w/one/"');
    expect(page.text).not.toMatch(/https?:\/\//);
    expect((await world.scenario.row()).desiredState).toBe('RUNNING');

    const status = async () => (await (await world.fetch('/w/one/.berth/status')).json()) as object;
    await world.scenario.begun('STARTING');
    await world.under.database.workspaces.reconciler.progress(
      { workspace: workspace(), opId: 'op-1' },
      '<b>42 %</b>',
    );
    world.activity.hint();
    await sleep(1);
    expect(await status()).toEqual({
      state: 'waiting',
      message: 'Its container is being started: <b>42 %</b>',
    });
    expect((await world.browse('/w/one/', BEARER)).text).toContain('&lt;b&gt;42 %&lt;/b&gt;');
    await world.under.database.workspaces.reconciler.finish({ workspace: workspace(), opId: 'op-1' });
    await starts();
    expect(await status()).toMatchObject({ state: 'running' });
    expect((await world.browse('/w/one/deep', BEARER)).text).toBe('hello GET');
  });

  it('that can not be woken says why, to people and programs', async () => {
    await world.settled('RUNNING', { id: workspace('first') });
    await world.settled('STANDBY');
    const answer = await world.fetch('/w/one/');
    expect(await answer.json()).toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED', limit: 1, used: 1 });
    const page = await world.browse('/w/one/', BEARER);
    expect(page.status).toBe(429);
    expect(page.text).toContain('QUOTA_EXCEEDED');
    expect(page.text).not.toContain('Try again');
  });

  it('that failed says why, as text, and is tried again by its user', async () => {
    await world.settled('STANDBY');
    const held = world.fetch('/w/one/');
    await wanted();
    await fails(true, 'no <script>alert(1)</script>');
    expect(await (await held).json()).toMatchObject({ status: 502, code: 'IMAGE_PULL_FAILED' });

    const cookie = await world.session();
    const page = await world.browse('/w/one/', { cookie });
    expect(page.status).toBe(502);
    expect(page.text).toContain('no &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page.text).toContain('<form method="post" action="/w/one/.berth/retry">');
    const foreign = { cookie, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' };
    expect((await world.browse('/w/one/.berth/retry', foreign, 'POST')).status).toBe(403);
    expect((await world.browse('/w/one/.berth/retry', { cookie }, 'GET')).status).toBe(405);
    const before = await world.scenario.row();
    const retried = await world.browse('/w/one/.berth/retry', { cookie, 'content-length': 0 }, 'POST');
    expect([retried.status, retried.headers.location]).toEqual([303, '/w/one/']);
    expect((await world.scenario.row()).desiredVersion).toBe(before.desiredVersion + 1);
  });

  it('that is being deleted says so', async () => {
    await world.running((_, response) => response.end('still here'));
    await world.under.database.workspaces.api.requestDelete(tenant(), workspace());
    world.activity.hint();
    await sleep(1);
    expect(await (await world.fetch('/w/one/')).json()).toMatchObject({
      status: 409,
      code: 'WORKSPACE_DELETING',
    });
  });
});
