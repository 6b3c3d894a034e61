import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BerthError } from '../../../../runtime/contracts/errors.ts';
import { InstallationSecret } from '../../../../runtime/identity/installation-secret.ts';
import { MemoryActivityStore } from '../../../../runtime/state/memory/memory-activity-store.ts';
import { tenant, workspace } from '../../../contract/database/workspace-scenario.ts';
import { must } from '../../../support/must.ts';
import { eventually } from './eventually.ts';
import { ACME, BEARER, keyOf, ProxyWorld, tellsRequest } from './proxy-world.ts';

const OTHER = keyOf('berth_of-other', 'other');

describe('who may enter a workspace', () => {
  let world: ProxyWorld;
  beforeEach(async () => {
    world = await ProxyWorld.open({ keys: [ACME, OTHER] });
    await world.running(tellsRequest);
    await world.running(tellsRequest, { id: workspace('two') });
    await world.running(tellsRequest, { id: workspace('theirs'), tenant: tenant('other') });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const follow = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
  const enter = async (cookie: string, id = 'one', headers = {}) =>
    (await world.browse(`/w/${id}/`, { cookie, ...headers })).status;

  it('is whoever follows a link, into this one workspace', async () => {
    const { url, expiresAt } = world.proxy.link(workspace(), ACME);
    expect(url).toMatch(new RegExp(`^${world.url}/w/one/\\.berth/session\\?token=[\\w-]+$`));
    expect(expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(60_000);
    const answer = await follow(url);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/w/one/');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const cookie = must(answer.headers.getSetCookie()[0]);
    expect(cookie).toMatch(/^berth_session=[\w-]+; Path=\/w\/one\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    const [pair = ''] = cookie.split(';');
    expect(await enter(pair)).toBe(200);
    expect(await enter(pair, 'two')).toBe(401);
    expect(await enter(pair, 'theirs')).toBe(401);
    expect(await enter(`berth_session=junk; ${pair}`)).toBe(200);
  });

  it('is nobody by a link that was used, has run out, or was made for another', async () => {
    const used = world.proxy.link(workspace(), ACME).url;
    await follow(used);
    const late = world.proxy.link(workspace(), ACME).url;
    const token = must(new URL(world.proxy.link(workspace(), ACME).url).searchParams.get('token'));
    const foreign = world.proxy.link(workspace('theirs'), ACME).url;
    const session = `${world.url}/w/one/.berth/session`;
    const cookie = (await world.session()).split('=')[1];
    const stranger = new InstallationSecret(Buffer.alloc(32, 8)).sealSession(
      'link',
      JSON.stringify({ workspace: 'one', key: ACME.sha256, at: Date.now(), id: 'x' }),
    );
    for (const url of [
      used,
      `${used}A`,
      foreign,
      `${world.url}/w/two/.berth/session?token=${token}`,
      `${session}?token=${cookie}`,
      `${session}?token=${stranger}`,
      `${session}?token=${token.slice(0, -8)}AAAAAAAA`,
      `${session}?token=`,
      session,
    ]) {
      const answer = await follow(url);
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    }
    world.ahead = 60_000;
    expect((await follow(late)).status).toBe(401);
    world.ahead = -31_000;
    expect((await follow(late)).status).toBe(401);
    world.ahead = 59_000;
    expect((await follow(late)).status).toBe(303);
  });

  it('is one alone, of many who follow a link at once', async () => {
    const { url } = world.proxy.link(workspace(), ACME);
    const all = await Promise.all(Array.from({ length: 20 }, () => follow(url)));
    expect(all.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  it('is nobody yet who only looks ahead, and whoever comes back to a link has a session already', async () => {
    const { url } = world.proxy.link(workspace(), ACME);
    expect((await follow(url, { method: 'HEAD' })).status).toBe(405);
    expect((await follow(url, { headers: { 'sec-purpose': 'prefetch;prerender' } })).status).toBe(401);
    const answer = await follow(url);
    expect(answer.status).toBe(303);
    const cookie = must(must(answer.headers.getSetCookie()[0]).split(';')[0]);
    expect((await follow(url, { headers: { cookie } })).status).toBe(303);
  });

  it('is nobody where it can not be told whether a link was used', async () => {
    class Away extends MemoryActivityStore {
      override async useOnce(): Promise<boolean> {
        throw new BerthError('STORE_UNAVAILABLE', 'the store does not answer');
      }
    }
    await using away = await ProxyWorld.open({ activity: new Away(Date) });
    await away.running(tellsRequest);
    expect((await follow(away.proxy.link(workspace(), ACME).url)).status).toBe(503);
  });

  it('is nobody any more when the key is taken back, or the workspace is deleted', async () => {
    const cookie = await world.session();
    const link = world.proxy.link(workspace(), ACME).url;
    world.ring.replace([OTHER, { ...ACME, sha256: OTHER.sha256.replace(/^./, '0') }]);
    expect(await enter(cookie)).toBe(401);
    expect((await follow(link)).status).toBe(401);
    world.ring.replace([ACME, OTHER]);
    expect(await enter(cookie)).toBe(200);
    await world.under.database.workspaces.api.requestDelete(tenant(), workspace());
    world.activity.hint();
    await eventually(async () => expect(await enter(cookie)).toBe(409));
    await world.scenario.begun('DELETING', 'op-9');
    await world.under.database.workspaces.reconciler.deleted({ workspace: workspace(), opId: 'op-9' });
    world.activity.hint();
    await eventually(async () => expect(await enter(cookie)).toBe(404));
  });

  it('lasts twelve hours, and longer for whoever uses it', async () => {
    const cookie = await world.session();
    const renewed = async () => (await world.browse('/w/one/', { cookie })).headers['set-cookie'];
    expect(await renewed()).toBeUndefined();
    world.ahead = 7 * 3_600_000;
    const [later = ''] = must(await renewed());
    expect(later).toMatch(/^berth_session=[\w-]+; Path=\/w\/one\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    world.ahead = 13 * 3_600_000;
    expect(await enter(cookie)).toBe(401);
    expect(await enter(later.split(';')[0] ?? '')).toBe(200);
  });

  it('is told how to get in: a page for people, a problem for programs, the same whatever there is', async () => {
    const page = await world.browse('/w/one/');
    expect([page.status, page.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(page.text).toContain('/sessions');
    for (const id of ['nothing', 'theirs', 'Not-An-Id', 'a'.repeat(41), '0123456789ab'])
      expect((await world.browse(`/w/${id}/`)).text).toBe(page.text);
    const answer = await fetch(`${world.url}/w/one/`);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await answer.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('finds nothing in what is another tenant’s, as in what there is not', async () => {
    const told = async (id: string) => {
      const { request_id: _id, ...problem } = (await (await world.fetch(`/w/${id}/x`)).json()) as Record<
        string,
        unknown
      >;
      return problem;
    };
    const nothing = await told('nothing');
    expect(nothing).toMatchObject({ status: 404, code: 'WORKSPACE_NOT_FOUND' });
    for (const id of ['theirs', 'Not-An-Id', '-', '', '%6fne', 'one%2f', 'one%5c..', '0123456789ab'])
      expect(await told(id)).toEqual(nothing);
  });

  it('is no other page of the same site', async () => {
    const cookie = await world.session();
    const own = `http://127.0.0.1:${world.port}`;
    const site = (site: string, mode: string, dest: string) => ({
      'sec-fetch-site': site,
      'sec-fetch-mode': mode,
      'sec-fetch-dest': dest,
    });
    expect(await enter(cookie, 'one', site('same-origin', 'cors', 'empty'))).toBe(200);
    expect(await enter(cookie, 'one', site('none', 'navigate', 'document'))).toBe(200);
    expect(await enter(cookie, 'one', site('cross-site', 'navigate', 'document'))).toBe(200);
    expect(await enter(cookie, 'one', site('same-site', 'navigate', 'iframe'))).toBe(403);
    expect(await enter(cookie, 'one', site('same-site', 'no-cors', 'image'))).toBe(403);
    expect(await enter(cookie, 'one', site('same-site', 'cors', 'empty'))).toBe(403);
    expect(await enter(cookie, 'one', { origin: own })).toBe(200);
    expect(await enter(cookie, 'one', { origin: 'http://evil.test' })).toBe(403);
    expect(await enter(cookie, 'one', { origin: 'null' })).toBe(403);
    const post = await world.browse(
      '/w/one/',
      { cookie, ...site('cross-site', 'navigate', 'document') },
      'POST',
    );
    expect(post.status).toBe(403);
    const keyed = await world.browse(
      '/w/one/',
      { ...BEARER, ...site('cross-site', 'cors', 'empty') },
      'POST',
    );
    expect(keyed.status).toBe(200);
  });

  it('keeps our own paths from the container', async () => {
    for (const path of ['/.berth', '/.berth/', '/.berth/other', '/.berth/../x'])
      expect((await world.browse(`/w/one${path}`, { ...BEARER, accept: '*/*' })).text).toContain(
        'ROUTE_NOT_FOUND',
      );
    expect((await world.browse('/w/one/.berthed', BEARER)).status).toBe(200);
  });

  it('leaves no token, key or cookie in the log', async () => {
    const { url } = world.proxy.link(workspace(), ACME);
    const cookie = must((await follow(url)).headers.getSetCookie()[0]?.split(';')[0]);
    await enter(cookie);
    await world.fetch('/w/one/secret-path?secret-query');
    await eventually(() => expect(world.log.length).toBeGreaterThanOrEqual(3));
    const log = JSON.stringify(world.log);
    for (const secret of [
      new URL(url).searchParams.get('token'),
      cookie.split('=')[1],
      'berth_of-acme',
      'secret-query',
    ])
      expect(log).not.toContain(secret);
    expect(world.log).toContainEqual(
      expect.objectContaining({ workspace_id: 'one', key: 'acme-key', tenant: 'acme' }),
    );
  });
});

describe('a host for each workspace', () => {
  let world: ProxyWorld;
  afterEach(() => world[Symbol.asyncDispose]());
  const https = { 'x-forwarded-proto': 'https' };

  beforeEach(async () => {
    world = await ProxyWorld.open({
      settings: { domain: 'ws.test', base: () => 'https://api.test', trustedProxies: ['loopback'] },
    });
    await world.running(tellsRequest);
    await world.running(tellsRequest, { id: workspace('two') });
  });

  it('takes all of it, and nothing of the API’s host', async () => {
    const told = await world.browse('/w/one/x?y', { ...BEARER, host: 'one.ws.test' });
    expect(JSON.parse(told.text)).toMatchObject({ url: '/w/one/x?y', headers: { host: 'one.ws.test' } });
    expect(told.text).not.toContain('x-forwarded-prefix');
    expect((await world.browse('/', { ...BEARER, host: 'ONE.WS.TEST.:443' })).status).toBe(200);
    for (const host of ['none.ws.test', 'a.one.ws.test', '.ws.test', '-.ws.test', '0123456789ab.ws.test'])
      expect((await world.browse('/health', { ...BEARER, host })).text).toContain('WORKSPACE_NOT_FOUND');
    for (const host of ['ws.test', 'one.ws.test.evil.test', 'xws.test', 'api.test', ''])
      expect((await world.browse('/w/one/', { ...BEARER, host })).text).toContain('ROUTE_NOT_FOUND');
  });

  it('gives a cookie that only this host can have', async () => {
    const { url } = world.proxy.link(workspace(), ACME);
    expect(url).toMatch(/^https:\/\/one\.ws\.test\/\.berth\/session\?token=/);
    const { pathname, search } = new URL(url);
    const answer = await world.browse(pathname + search, { host: 'one.ws.test', ...https });
    expect(answer.headers.location).toBe('/');
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(
      /^__Host-berth_session=[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
    );
    const [pair = ''] = cookie.split(';');
    const { text } = await world.browse('/', { host: 'one.ws.test', cookie: `a=1; ${pair}`, ...https });
    expect(JSON.parse(text).headers.cookie).toBe('a=1');
    expect((await world.browse('/', { host: 'two.ws.test', cookie: pair, ...https })).status).toBe(401);
    // A sibling on the same domain is another origin.
    const sibling = { host: 'one.ws.test', cookie: pair, origin: 'https://two.ws.test', ...https };
    expect((await world.browse('/', sibling)).status).toBe(403);
    expect((await world.browse('/', { ...sibling, origin: 'https://one.ws.test' })).status).toBe(200);
  });
});

it('has no workspaces below /w/ where that is refused', async () => {
  await using world = await ProxyWorld.open({ settings: { pathsRefusal: () => 'set WORKSPACE_DOMAIN' } });
  await world.running(tellsRequest);
  expect(await (await world.fetch('/w/one/')).json()).toMatchObject({ status: 501, code: 'NOT_SUPPORTED' });
  expect(() => world.proxy.link(workspace(), ACME)).toThrow('NOT_SUPPORTED');
});
