import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { hashApiKey } from '../../runtime/access/api-key.ts';
import { allEvents, printed, readEvents } from '../support/event-reading.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { PATIENCE, TestViewer } from '../support/terminal-viewer.ts';

/** Keys for two tenants; only backends that allow configured keys can have them. */
export function tenantsAreApart(env: () => Record<string, string>): void {
  const key = (secret: string, tenant: string, limits = {}) => ({
    name: secret,
    tenant,
    scope: 'use',
    sha256: hashApiKey(secret),
    limits,
  });

  it('no id of one tenant means anything to another', async () => {
    const keys = [key('a', 'acme'), key('b', 'bolt', { conversations: 1 })];
    await using runtime = await RuntimeProcess.start({
      env: { ...env(), BERTH_API_KEYS: JSON.stringify(keys) },
    });
    const as = (secret: string, path: string, init: RequestInit = {}) =>
      runtime.fetch(path, { ...init, key: secret });
    const exec = async (secret: string, conversation: string, cmd: string[]) =>
      (
        await runtime.post(`/v1/conversations/${conversation}/exec`, { cmd }, { key: secret })
      ).json() as Promise<Record<string, unknown>>;
    await vi.waitFor(async () => expect((await fetch(`${runtime.url}/ready`)).status).toBe(200), 20_000);
    await exec('a', 'shared', ['bash', '-c', 'echo secret > file']);
    expect((await as('b', '/v1/conversations/shared')).status).toBe(404);
    expect((await as('b', '/v1/conversations/shared/files/file')).status).toBe(404);
    expect((await as('b', '/v1/conversations/shared', { method: 'DELETE' })).status).toBe(404);
    expect(await (await as('b', '/v1/conversations')).json()).toMatchObject({ conversations: [] });
    expect(await exec('b', 'shared', ['ls'])).toMatchObject({ stdout: '' });
    expect(await exec('a', 'shared', ['cat', 'file'])).toMatchObject({ stdout: 'secret\n' });
    expect(await exec('b', 'another', ['true'])).toMatchObject({ code: 'QUOTA_EXCEEDED', limit: 1, used: 1 });
  });

  it('a tenant runs no more executions at once than its key allows', async () => {
    const keys = [key('a', 'acme', { executions: 1 })];
    await using runtime = await RuntimeProcess.start({
      env: { ...env(), BERTH_API_KEYS: JSON.stringify(keys) },
    });
    const execute = (conversation: string, user_input: string) =>
      runtime.post(`/v1/conversations/${conversation}/execute`, { user_input }, { key: 'a' });
    await vi.waitFor(async () => expect((await fetch(`${runtime.url}/ready`)).status).toBe(200), 20_000);
    const one = readEvents(await execute('one', 'import time; time.sleep(2)'));
    await one.next();
    const refused = await execute('two', 'print(1)');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED', limit: 1, used: 1 });
    for await (const _ of one);
    expect(printed(await allEvents(await execute('two', 'print(1)')))).toBe('1\n');
  });

  it('a terminal of one is nothing to another, and ends for whoever loses the key', {
    timeout: 120_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-keys-'));
    const file = join(folder, 'keys.json');
    try {
      writeFileSync(file, JSON.stringify([key('a', 'acme'), key('b', 'bolt'), key('spare', 'acme')]));
      await using runtime = await RuntimeProcess.start({ env: { ...env(), BERTH_API_KEYS_FILE: file } });
      await vi.waitFor(async () => expect((await fetch(`${runtime.url}/ready`)).status).toBe(200), PATIENCE);
      const made = await runtime.post('/v1/conversations/shared/terminals', { cmd: ['cat'] }, { key: 'a' });
      const { terminal_id } = (await made.json()) as { terminal_id: string };
      const path = `/v1/conversations/shared/terminals/${terminal_id}`;
      const as = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
      const missing = { status: 404, problem: { code: 'TERMINAL_NOT_FOUND' } };
      expect(await TestViewer.try(runtime, path, as('b'))).toMatchObject(missing);
      // With a conversation of the same name, too.
      await runtime.post('/v1/conversations/shared/exec', { cmd: ['true'] }, { key: 'b' });
      expect(await TestViewer.try(runtime, path, as('b'))).toMatchObject(missing);
      expect((await runtime.fetch(path, { method: 'DELETE', key: 'b' })).status).toBe(404);

      const viewers = [
        await TestViewer.open(runtime, path, as('a')),
        await TestViewer.open(runtime, path, as('spare')),
      ];
      writeFileSync(file, JSON.stringify([key('b', 'bolt'), key('spare', 'acme')]));
      expect(await viewers[0]?.closed).toMatchObject({ code: 1008, reason: 'the key was taken back' });
      expect(await TestViewer.try(runtime, path, as('a'))).toMatchObject({ status: 401 });
      viewers[1]?.type('hello\n');
      await viewers[1]?.sees(/hello\r\nhello\r\n/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
