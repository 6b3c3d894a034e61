import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';

/** What a person with a workspace can count on, whatever backend and store are behind it. */
export function workspacesWork(env: () => Record<string, string>): void {
  let runtime: RuntimeProcess;
  // Names of workspaces are names on the engine, which other tests use, too.
  const named = (word: string) => `${word}-${randomBytes(4).toString('hex')}`;
  beforeAll(async () => {
    // What is not seen when it happens would not be seen in time.
    const given = { MAX_RUNNING_WORKSPACES_PER_KEY: '20', WORKSPACE_OBSERVE_SECONDS: '600' };
    runtime = await RuntimeProcess.start({ env: { ...given, ...env() } });
  });
  afterAll(() => runtime[Symbol.asyncDispose]());

  it('its home outlives its container, is archived and comes back, whenever somebody comes', async () => {
    const workspace = await WorkspaceCalls.make(runtime, named('life'));
    expect((await workspace.visit('/healthz')).status).toBe(200); // held until it runs
    await workspace.settles({ observed_status: 'RUNNING', error: null });
    await workspace.write('notes.txt', 'kept');

    await workspace.want('STANDBY');
    await workspace.settles({ observed_status: 'STANDBY', archived: false });
    expect(await workspace.read('notes.txt')).toBe('kept');

    await workspace.want('PENDING');
    await workspace.settles({ observed_status: 'PENDING', archived: true });
    expect(await workspace.read('notes.txt')).toBe('kept');
    await workspace.settles({ observed_status: 'RUNNING', desired_state: 'RUNNING', archived: false });

    expect((await workspace.delete()).status).toBe(202);
    await workspace.gone();
    const again = await runtime.post('/v1/workspaces', { id: workspace.id });
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({ code: 'WORKSPACE_EXISTS' });
  });

  it('opens in a browser by a link that is good once, and speaks WebSocket there', async () => {
    const workspace = await WorkspaceCalls.make(runtime, named('linked'));
    await workspace.settles({ observed_status: 'RUNNING' });
    const made = await runtime.post(`/v1/workspaces/${workspace.id}/sessions`, {});
    expect(made.status).toBe(201);
    const { url } = (await made.json()) as { url: string };
    const opened = await fetch(url, { redirect: 'manual' });
    expect(opened.status).toBe(303);
    const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const page = await fetch(`${runtime.url}/w/${workspace.id}/`, { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<!doctype html>');
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(401);
    expect((await fetch(`${runtime.url}/w/${workspace.id}/`)).status).toBe(401);
    expect((await fetch(`${runtime.url}/v1/workspaces`, { headers: { cookie } })).status).toBe(401);
  }, 180_000);

  it('comes back when somebody finds its container dead', async () => {
    const workspace = await WorkspaceCalls.make(runtime, named('crashed'));
    await workspace.settles({ observed_status: 'RUNNING' });
    await workspace.write('notes.txt', 'kept');
    expect((await runtime.fetch(`/v1/containers/ws-${workspace.id}`, { method: 'DELETE' })).status).toBe(202);

    await expect
      .poll(async () => (await workspace.visit('/healthz')).status, { timeout: 60_000, interval: 500 })
      .toBe(200);
    expect(await workspace.read('notes.txt')).toBe('kept');
  });

  it('tells who follows it what becomes of it', async () => {
    const workspace = await WorkspaceCalls.make(runtime, named('followed'));
    const events = await runtime.fetch(`/v1/workspaces/${workspace.id}/events`);
    const told: string[] = [];
    const reading = (async () => {
      for await (const piece of events.body?.pipeThrough(new TextDecoderStream()) ?? []) told.push(piece);
    })();
    await workspace.settles({ observed_status: 'RUNNING' });
    await workspace.want('STANDBY');
    await workspace.settles({ observed_status: 'STANDBY' });
    await workspace.delete();
    await workspace.gone();
    await reading; // it ends with the workspace
    const states = [...told.join('').matchAll(/"observed_status":"(\w+)"/g)].map(([, state]) => state);
    // Who looks may come too late for what lasts a moment.
    expect(states.filter((state, at) => state !== states[at - 1]).join(' ')).toMatch(
      /^PENDING (STANDBY )?RUNNING STANDBY (PENDING )?DELETED$/,
    );
  }, 180_000);

  it('answers what is wrong with what was asked for', async () => {
    const refused = async (words: unknown) => {
      const answer = await runtime.post('/v1/workspaces', words);
      return { status: answer.status, ...((await answer.json()) as { code: string }) };
    };
    expect(await refused({ id: '0123456789ab' })).toMatchObject({ status: 400, code: 'INVALID_ID' });
    expect(await refused({ id: 'Capital' })).toMatchObject({ status: 400, code: 'INVALID_ID' });
    expect(await refused({ standby_ttl_seconds: 1 })).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect(await refused({ image_ref: 'evil/image' })).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    const missing = await runtime.fetch('/v1/workspaces/nobody');
    expect(missing.status).toBe(404);
    expect((await runtime.fetch('/w/nobody/')).status).toBe(404);
  });

  it('is one of no more than its key may have', async () => {
    await using other = await RuntimeProcess.start({
      env: { ...env(), MAX_RUNNING_WORKSPACES_PER_KEY: '1' },
    });
    const first = await WorkspaceCalls.make(other, named('first'));
    const second = await other.post('/v1/workspaces', { id: named('second') });
    expect(second.status).toBe(429);
    expect(await second.json()).toMatchObject({ code: 'QUOTA_EXCEEDED', limit: 1, used: 1 });
    const third = await WorkspaceCalls.make(other, named('third'), { desired_state: 'STANDBY' });
    expect((await third.visit()).status).toBe(429);
    const listed = await other.fetch('/v1/workspaces?limit=1');
    expect(await listed.json()).toMatchObject({ workspaces: [{ id: first.id }], next_cursor: first.id });
    for (const workspace of [first, third]) {
      await workspace.delete();
      await workspace.gone();
    }
  }, 180_000);
}
