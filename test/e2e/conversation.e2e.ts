import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { commandsWork } from './commands.e2e.ts';
import { executionsWork } from './executions.e2e.ts';
import { filesWork } from './files.e2e.ts';
import { terminalsWork } from './terminals.e2e.ts';

/** What a caller can count on, whatever backend and store are behind it. */
export function conversationsWork(env: () => Record<string, string>): void {
  let runtime: RuntimeProcess;
  beforeAll(async () => {
    runtime = await RuntimeProcess.start({
      env: { GRACE_PERIOD_SECONDS: '1', MAX_CONTAINERS: '60', ...env() },
    });
    await vi.waitFor(async () => expect((await runtime.fetch('/ready')).status).toBe(200), 20_000);
  });
  afterAll(() => runtime[Symbol.asyncDispose]());

  const filesOf = (conversation: string, path: string) => `/v1/conversations/${conversation}/files${path}`;

  commandsWork(() => runtime);
  filesWork(() => runtime);
  executionsWork(() => runtime);
  terminalsWork(() => runtime);

  describe('a conversation', () => {
    it('is one container, however many calls come at once', async () => {
      const results = await Promise.all(
        Array.from({ length: 8 }, () => runtime.exec('burst', ['bash', '-c', 'echo x >> log'])),
      );
      expect(results.every((result) => result.exit_code === 0)).toBe(true);
      expect((await runtime.exec('burst', ['bash', '-c', 'wc -l < log'])).stdout.trim()).toBe('8');
    });

    it('can be looked at and listed', async () => {
      await runtime.exec('seen', ['true']);
      const look = async () =>
        (await (await runtime.fetch('/v1/conversations/seen')).json()) as Record<string, string>;
      await vi.waitFor(async () =>
        expect(await look()).toMatchObject({ conversation_id: 'seen', status: 'idle' }),
      );
      const seen = await look();
      expect(Date.parse(must(seen.expires_at))).toBeGreaterThan(Date.now());
      const page = (await (await runtime.fetch('/v1/conversations?limit=1&status=idle')).json()) as {
        conversations: unknown[];
        next_cursor: string;
      };
      expect(page.conversations).toHaveLength(1);
      expect(page.next_cursor).toBeTruthy();
    });

    it('deleted under an upload takes nothing else with it', async () => {
      await runtime.exec('upload', ['true']);
      const body = new ReadableStream({
        async pull(controller) {
          controller.enqueue(new Uint8Array(1024));
          await sleep(20);
        },
      });
      const put = runtime
        .fetch(filesOf('upload', '/never-ends'), { method: 'PUT', body, duplex: 'half' } as RequestInit)
        .then(
          (answer) => answer.status,
          () => 'cut',
        );
      await vi.waitFor(async () => {
        const record = (await (await runtime.fetch('/v1/conversations/upload')).json()) as { status: string };
        expect(record.status).toBe('running');
      });
      await runtime.fetch('/v1/conversations/upload', { method: 'DELETE' });
      expect([409, 'cut']).toContain(await put);
      expect(await runtime.exec('another', ['echo', 'fine'])).toMatchObject({ stdout: 'fine\n' });
    });

    it('is deleted: work is waited for, then cancelled, and its files are in the next', async () => {
      await runtime.exec('gone', ['touch', 'before']);
      const long = runtime.exec('gone', ['sleep', '60']);
      await vi.waitFor(async () => {
        const record = (await (await runtime.fetch('/v1/conversations/gone')).json()) as { status: string };
        expect(record.status).toBe('running');
      });
      expect((await runtime.fetch('/v1/conversations/gone', { method: 'DELETE' })).status).toBe(202);
      expect(await runtime.exec('gone', ['true'])).toMatchObject({
        code: 'CONVERSATION_DRAINING',
        retry_after: 5,
      });
      expect(await long).toMatchObject({ code: 'CONVERSATION_DRAINING' });
      await vi.waitFor(
        async () => expect((await runtime.fetch('/v1/conversations/gone')).status).toBe(404),
        20_000,
      );
      expect((await runtime.exec('gone', ['ls'])).stdout).toBe('before\n');
    });
  });
}
