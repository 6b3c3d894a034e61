import { beforeAll, describe, expect, it, vi } from 'vitest';
import { allEvents, printed, readEvents } from '../support/event-reading.ts';
import type { RuntimeProcess } from '../support/runtime-process.ts';

/** What an execution can count on. */
export function executionsWork(started: () => RuntimeProcess): void {
  let runtime: RuntimeProcess;
  beforeAll(() => {
    runtime = started();
  });
  const execute = (
    conversation: string,
    body: Record<string, unknown>,
    headers: Record<string, string> = {},
  ) => runtime.post(`/v1/conversations/${conversation}/execute`, body, { headers });
  const executions = (conversation: string, rest = '') =>
    `/v1/conversations/${conversation}/executions${rest}`;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of any shape
  const get = async (path: string): Promise<any> => (await runtime.fetch(path)).json();

  describe('an execution', () => {
    it('streams what happens, numbered from one, the container first and one end last', async () => {
      const answer = await execute('run', {
        user_input: 'import sys\nprint("out")\nprint("err", file=sys.stderr)',
      });
      expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      const events = await allEvents(answer);
      expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
      expect(events[0]).toMatchObject({ type: 'container', data: { seq: 1, source: 'cold' } });
      expect(events[0]?.data.container_id).toMatch(/^ws-[0-9a-f]{12}$/);
      const said = (stream: string) => printed(events.filter(({ data }) => data.stream === stream));
      expect([said('stdout'), said('stderr')]).toEqual(['out\n', 'err\n']);
      expect(events.at(-1)).toMatchObject({ type: 'done', data: { subtype: 'success', exit_code: 0 } });
      const id = events[0]?.data.execution_id;
      expect(events.every(({ data }) => data.execution_id === id && Date.parse(data.timestamp) > 0)).toBe(
        true,
      );
      expect(await get(executions('run', `/${id}`))).toMatchObject({ execution_id: id, status: 'completed' });
      expect(await get(executions('run'))).toMatchObject({ executions: [{ execution_id: id }] });
    });

    it('runs again at once for who has read its end, in the same container with its files', async () => {
      await allEvents(await execute('again', { user_input: 'echo 1 > n', model: 'code/bash' }));
      const events = await allEvents(
        await execute('again', { user_input: '#!/usr/bin/env bash\ncat n; exit 4' }),
      );
      expect(events[0]).toMatchObject({ data: { source: 'existing' } });
      expect(printed(events)).toBe('1\n');
      expect(events.at(-1)).toMatchObject({ type: 'done', data: { subtype: 'error', exit_code: 4 } });
    });

    it('is alone in its conversation; commands run beside it', async () => {
      const answer = await execute('alone', {
        user_input: 'import time\nprint("go", flush=True)\ntime.sleep(30)',
      });
      const stream = readEvents(answer);
      const first = (await stream.next()).value;
      const second = await execute('alone', { user_input: 'print(2)' });
      expect(second.status).toBe(409);
      expect(await second.json()).toMatchObject({
        code: 'CONVERSATION_LOCKED',
        execution_id: first?.data.execution_id,
      });
      expect(await runtime.exec('alone', ['echo', 'beside'])).toMatchObject({ stdout: 'beside\n' });
      const path = executions('alone', `/${first?.data.execution_id}`);
      expect(await get(path)).toMatchObject({ status: 'running', ended_at: null });
      expect((await runtime.fetch(`${path}/cancel`, { method: 'POST' })).status).toBe(202);
      const rest = [];
      for await (const event of stream) rest.push(event);
      expect(rest.at(-1)).toMatchObject({ type: 'error', data: { error_type: 'cancelled' } });
      expect(await get(path)).toMatchObject({ status: 'cancelled' });
      expect((await runtime.fetch(`${path}/cancel`, { method: 'POST' })).status).toBe(202);
    });

    it('can be attached to, from any of its events on, while it runs and after', async () => {
      const input = 'import time\nfor i in range(5): print(i, flush=True); time.sleep(0.2)';
      const answer = await execute('attach', { user_input: input });
      const stream = readEvents(answer);
      const first = (await stream.next()).value;
      const path = executions('attach', `/${first?.data.execution_id}/events`);
      const beside = allEvents(await runtime.fetch(path));
      const all = [first];
      for await (const event of stream) all.push(event);
      expect(await beside).toEqual(all);
      const headers = { 'last-event-id': String(all[2]?.id) };
      expect(await allEvents(await runtime.fetch(path, { headers }))).toEqual(all.slice(3));
      expect(await allEvents(await runtime.fetch(`${path}?after=${all.at(-1)?.id}`))).toEqual([]);
    });

    it('is cancelled when its client goes, however early, if that is what it asked for', async () => {
      await runtime.exec('early', ['true']);
      for (const ms of [0, 2, 4, 8, 16]) {
        const gone = AbortSignal.timeout(ms);
        const body = { user_input: 'import time; time.sleep(60)', on_disconnect: 'cancel' };
        await runtime
          .post('/v1/conversations/early/execute', body, { signal: gone })
          .then((answer) => allEvents(answer))
          .catch(() => undefined);
        await vi.waitFor(async () => {
          const { executions: all } = await get(executions('early'));
          expect(all.filter(({ status }: { status: string }) => status === 'running')).toEqual([]);
        });
      }
    });

    it('asked for twice with one key runs once; another request with it is refused', async () => {
      const key = { 'idempotency-key': 'k1' };
      const body = { user_input: 'import random; print(random.random())' };
      const [one, two] = await Promise.all([execute('once', body, key), execute('once', body, key)]);
      const outputs = [await allEvents(one), await allEvents(two)].map(printed);
      expect(outputs[0]).toMatch(/^0\.\d+\n$/);
      expect(outputs[1]).toBe(outputs[0]);
      const other = await execute('once', { user_input: 'print(1)' }, key);
      expect(await other.json()).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' });
      expect((await get(executions('once'))).executions).toHaveLength(1);
    });

    it('that can not be begun is a problem, and leaves the conversation free', async () => {
      for (const [body, path] of [
        [{}, 'user_input'],
        [{ user_input: '1', timeout_seconds: 1e6 }, 'timeout_seconds'],
        [{ user_input: '1', surprise: 1 }, ''],
      ] as const) {
        const answer = await execute('bad', body);
        expect(await answer.json()).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ path }] });
      }
      for (const body of [
        { user_input: '1', model: 'code/cobol' },
        { user_input: '1', cwd: '/nowhere' },
      ]) {
        const answer = await execute('bad', body);
        expect(answer.headers.get('content-type')).toContain('application/problem+json');
        expect(await answer.json()).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
      }
      const events = await allEvents(await execute('bad', { user_input: 'print("well")' }));
      expect(printed(events)).toBe('well\n');
    });

    it('that is none is not found', async () => {
      const path = executions('run', '/ex-000000000000000000000000');
      for (const each of [path, `${path}/events`]) {
        expect(await get(each)).toMatchObject({ status: 404, code: 'EXECUTION_NOT_FOUND' });
      }
      expect(await get(executions('run', '/x'))).toMatchObject({ status: 400, code: 'INVALID_ID' });
    });
  });

  describe('saved files', () => {
    const record = (name: string) => get(`/v1/conversations/${name}`);
    const gone = (name: string) =>
      vi.waitFor(
        async () => expect((await runtime.fetch(`/v1/conversations/${name}`)).status).toBe(404),
        20_000,
      );

    it('are those that an execution left, once its end was told', async () => {
      const input =
        'mkdir -p bin; echo "#!/bin/sh" > bin/tool; chmod 755 bin/tool; mkdir node_modules; touch node_modules/x';
      await allEvents(await execute('kept', { user_input: input, model: 'code/bash' }));
      expect((await record('kept')).saved_version).toMatch(/./);
      await runtime.fetch('/v1/conversations/kept', { method: 'DELETE' });
      await gone('kept');
      const { files } = await get('/v1/conversations/kept/files');
      expect(files.map(({ path, mode }: { path: string; mode: number }) => [path, mode])).toEqual([
        ['bin/tool', 0o755],
      ]);
      expect(await (await runtime.fetch('/v1/conversations/kept/files/bin/tool')).text()).toBe('#!/bin/sh\n');
      expect((await runtime.fetch('/v1/conversations/kept/files/none')).status).toBe(404);
      expect(await runtime.exec('kept', ['bash', '-c', 'find . -type f; stat -c %a bin/tool'])).toMatchObject(
        {
          stdout: './bin/tool\n755\n',
        },
      );
    });

    it('are there once a durable write is answered', async () => {
      const put = await runtime.fetch('/v1/conversations/durable/files/a/b.txt?durable=true', {
        method: 'PUT',
        body: 'sure',
      });
      expect(put.status).toBe(204);
      expect((await record('durable')).saved_version).toMatch(/./);
    });

    it('are promised of no file that is not saved', async () => {
      const path = '/v1/conversations/durable/files/node_modules/x.js?durable=true';
      const put = await runtime.fetch(path, { method: 'PUT', body: 'x' });
      expect(await put.json()).toMatchObject({
        code: 'INVALID_PATH',
        detail: expect.stringContaining('node_modules'),
      });
    });

    it('go with the conversation that is purged', async () => {
      await runtime.fetch('/v1/conversations/purged/files/a.txt?durable=true', { method: 'PUT', body: 'x' });
      expect((await runtime.fetch('/v1/conversations/purged?purge=true', { method: 'DELETE' })).status).toBe(
        202,
      );
      await gone('purged');
      expect((await runtime.fetch('/v1/conversations/purged/files')).status).toBe(404);
      expect(await runtime.exec('purged', ['ls'])).toMatchObject({ stdout: '' });
    });
  });
}
