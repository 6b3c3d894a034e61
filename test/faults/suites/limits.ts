import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { hashApiKey } from '../../../runtime/access/api-key.ts';
import type { ContainerPlace } from '../../support/container-place.ts';
import { must } from '../../support/must.ts';
import { start } from './started-runtime.ts';

/** What callers are told at a limit, on whatever place. */
export function limitsAreReached(place: () => ContainerPlace): void {
  it('no room: 429 with Retry-After, and room again after a delete', async () => {
    await using runtime = await start(place(), { MAX_CONTAINERS: '1' });
    await runtime.exec('one', ['true']);
    const answer = await runtime.post('/v1/conversations/two/exec', { cmd: ['true'] });
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.json()).toMatchObject({ code: 'CAPACITY_EXCEEDED', limit: 1, used: 1 });
    await runtime.fetch('/v1/conversations/one', { method: 'DELETE' });
    await vi.waitFor(
      async () => expect(await runtime.exec('two', ['true'])).toMatchObject({ exit_code: 0 }),
      10_000,
    );
  });

  it('a conversation that idles its time away is ended, one that works is not', async () => {
    await using runtime = await start(place(), { CONTAINER_TTL_SECONDS: '1', GC_INTERVAL_SECONDS: '0.2' });
    const working = runtime.exec('busy', ['bash', '-c', 'sleep 3; echo done']);
    await runtime.exec('idle', ['true']);
    await vi.waitFor(
      async () => expect((await runtime.fetch('/v1/conversations/idle')).status).toBe(404),
      10_000,
    );
    expect(await working).toMatchObject({ stdout: 'done\n' });
  });

  it('a key that is taken back ends its streams', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-revoke-'));
    const file = join(folder, 'keys.json');
    const entry = { name: 'k', tenant: 'acme', scope: 'use', sha256: hashApiKey('k') };
    writeFileSync(file, JSON.stringify([entry]));
    await using runtime = await start(place(), { BERTH_API_KEYS_FILE: file });
    const answer = await runtime.post(
      '/v1/conversations/c/exec',
      { cmd: ['bash', '-c', 'echo started; sleep 60'] },
      { key: 'k', headers: { accept: 'text/event-stream' } },
    );
    const reader = must(answer.body).getReader();
    await reader.read();
    writeFileSync(file, '[]');
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow();
    expect((await runtime.fetch('/v1/conversations/c', { key: 'k' })).status).toBe(401);
    rmSync(folder, { recursive: true });
  });
}
