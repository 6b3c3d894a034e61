import { randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { ExecutionEvent } from '../../../runtime/client/index.ts';
import { executionEvents } from '../../../runtime/http/routes/execution-schemas.ts';
import type { Fate } from '../../support/http-relay.ts';
import { settingOfFile } from './client-setting.ts';

const setting = settingOfFile();
const SCRIPT = 'for n in range(6): print("zäh", n, flush=True); __import__("time").sleep(0.02)';

async function all(events: AsyncIterable<ExecutionEvent>): Promise<ExecutionEvent[]> {
  const read: ExecutionEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}

/** What the service has of an execution, read without anything in between. */
async function kept(conversation: string, id: string | undefined): Promise<ExecutionEvent[]> {
  const { runtime } = setting();
  const direct = setting().client({ url: runtime.url });
  return all(direct.conversation(conversation).attach(id ?? ''));
}

describe('an execution', () => {
  it('is told event by event, each as the document says, and its id from the first on', async () => {
    const execution = setting().client().conversation('told').execute({ user_input: SCRIPT });
    const ids = new Set<string | undefined>();
    const events: ExecutionEvent[] = [];
    for await (const event of execution) {
      ids.add(execution.executionId);
      events.push(event);
    }
    expect(ids).toEqual(new Set([expect.stringMatching(/^ex-/)]));
    expect(events[0]).toMatchObject({ type: 'container', seq: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'done', exit_code: 0 });
    for (const event of events) {
      expect(event.type).not.toBe('unknown');
      if (event.type !== 'unknown') executionEvents[event.type].strict().parse(event);
    }
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(setting().relay.requests).toHaveLength(1);
    expect(await all(execution)).toEqual([]);
  });

  it('is whole over connections that break in every event', async () => {
    setting().relay.fate = () => ({ events: 1, end: 'cut' });
    const { signal } = new AbortController();
    const execution = setting().client().conversation('every').execute({ user_input: SCRIPT }, { signal });
    const events = await all(execution);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(events.length).toBeGreaterThan(3);
    expect(events).toEqual(await kept('every', execution.executionId));
    const { relay } = setting();
    expect(relay.asked('POST /v1/conversations/every/execute')).toHaveLength(1);
    const after = relay.asked('GET ').map(({ headers }) => headers['last-event-id']);
    expect(new Set(after)).toEqual(new Set(events.slice(0, -1).map(({ seq }) => String(seq))));
  });

  it('is whole over one that breaks once, wherever that is, its beginning included', async () => {
    const { relay } = setting();
    const conversation = setting().client().conversation('once');
    const whole = (await all(conversation.execute({ user_input: SCRIPT }))).length;
    for (let at = 0; at <= whole; at += 1) {
      relay.requests.length = 0;
      relay.fate = (_, before): Fate => (before === 0 ? { events: at, end: 'cut' } : 'pass');
      const execution = conversation.execute({ user_input: SCRIPT });
      const events = await all(execution);
      expect(events).toEqual(await kept('once', execution.executionId));
      expect(events.at(-1)).toMatchObject({ type: 'done' });
      const keys = relay.asked('POST ').map(({ headers }) => headers['idempotency-key']);
      expect([keys.length, new Set(keys).size]).toEqual([at === 0 ? 2 : 1, 1]);
    }
    expect(await conversation.executions()).toHaveLength(whole + 2);
  });

  it('of a thousand events is the same over a line that breaks time and again', async () => {
    const script =
      'import sys\nfor n in range(1000): sys.stdout.write(f"{n}\\n"); sys.stdout.flush(); __import__("time").sleep(0.001)';
    setting().relay.fate = () => ({ events: Math.floor(Math.random() * 60), end: 'cut' });
    const execution = setting().client().conversation('long').execute({ user_input: script });
    const events = await all(execution);
    expect(events).toEqual(await kept('long', execution.executionId));
    const text = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('');
    expect(text).toBe(Array.from({ length: 1000 }, (_, n) => `${n}\n`).join(''));
    expect(events.length).toBeGreaterThan(100);
    expect(setting().relay.requests.length).toBeGreaterThan(3);
  });

  it('runs once where the answer to it was lost, and where it never arrived', async () => {
    for (const fate of ['refuse', { events: 0, end: 'cut' }] as const) {
      setting().relay.requests.length = 0;
      setting().relay.fate = (_, before): Fate => (before < 2 ? fate : 'pass');
      const conversation = setting().client().conversation(`lost-${randomUUID()}`);
      const { text } = await conversation.execute({ user_input: 'print("ran")' }).result();
      expect(text).toBe('ran\n');
      expect(setting().relay.asked('POST ')).toHaveLength(3);
      expect(await conversation.executions()).toHaveLength(1);
    }
  });

  it('is taken up again when nothing comes any more, comments included', async () => {
    setting().relay.fate = (_, before): Fate => (before === 0 ? { events: 2, end: 'freeze' } : 'pass');
    const client = setting().client({ silenceMs: 200 });
    const execution = client.conversation('frozen').execute({ user_input: SCRIPT });
    expect(await all(execution)).toEqual(await kept('frozen', execution.executionId));
    expect(setting().relay.asked('GET ')[0]?.headers['last-event-id']).toBe('2');
  });

  it('that nobody can be asked about is an error after so many tries in a row', async () => {
    setting().relay.fate = (_, before): Fate => (before === 0 ? { events: 2, end: 'cut' } : 'refuse');
    const execution = setting().client({ retries: 3 }).conversation('away').execute({ user_input: SCRIPT });
    await expect(all(execution)).rejects.toMatchObject({ code: 'CONNECTION_FAILED', retryable: true });
    expect(setting().relay.asked('GET ')).toHaveLength(3);
    // Another loop goes on where this one stopped.
    setting().relay.fate = () => 'pass';
    expect(await all(execution)).toEqual((await kept('away', execution.executionId)).slice(2));
  });

  it('that is forgotten meanwhile is said so', async () => {
    const conversation = setting().client().conversation('told');
    const gone = conversation.attach('ex-000000000000000000000000', { after: 4 });
    await expect(all(gone)).rejects.toMatchObject({
      code: 'EXECUTION_NOT_FOUND',
      status: 404,
      retryable: false,
      detail: expect.stringContaining("its events after 4 can't be had any more"),
    });
    expect(setting().relay.requests).toHaveLength(1);
  });

  it('goes on when its loop is left, which closes the connection, and can be read on', async () => {
    const { relay } = setting();
    const client = setting().client();
    const execution = client.conversation('left').execute({ user_input: SCRIPT });
    const first: ExecutionEvent[] = [];
    for await (const event of execution) {
      first.push(event);
      if (event.type === 'text_delta') break;
    }
    await vi.waitFor(() => expect(relay.underWay).toBe(0));
    const rest = await all(execution);
    expect([...first, ...rest]).toEqual(await kept('left', execution.executionId));
    const attached = client.conversation('left').attach(execution.executionId ?? '', { after: 2 });
    expect((await all(attached))[0]).toMatchObject({ seq: 3 });
  });

  it('is ended with its reader where that was asked for', async () => {
    const conversation = setting().client().conversation('with-reader');
    const request = { user_input: 'import time; time.sleep(60)', on_disconnect: 'cancel' } as const;
    const execution = conversation.execute(request);
    for await (const event of execution) {
      expect(event.type).toBe('container');
      break;
    }
    await vi.waitFor(async () => {
      expect(await conversation.execution(execution.executionId ?? '')).toMatchObject({
        status: 'cancelled',
      });
    });
    expect(await all(execution)).toMatchObject([{ type: 'error', error_type: 'cancelled' }]);
  });

  it('can be started without reading it, cancelled, and waited for', async () => {
    const conversation = setting().client().conversation('cancelled');
    const execution = conversation.execute({ user_input: 'import time; time.sleep(60)' });
    expect(execution.executionId).toBeUndefined();
    const id = await execution.started();
    expect(await conversation.execution(id)).toMatchObject({ status: 'running' });
    expect(setting().relay.underWay).toBe(1);
    await execution.close();
    await vi.waitFor(() => expect(setting().relay.underWay).toBe(0));
    await execution.cancel();
    await expect(execution.result()).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      retryable: false,
      detail: expect.stringContaining('cancelled'),
      cause: { type: 'error', error_type: 'cancelled' },
    });
    expect(setting().relay.asked('POST /v1/conversations/cancelled/execute')).toHaveLength(1);
  });

  it('can be cancelled by another than its reader, before its first event came', async () => {
    const execution = setting()
      .client()
      .conversation('other')
      .execute({ user_input: 'import time; time.sleep(60)' });
    const reading = all(execution);
    await execution.cancel();
    expect(await reading).toMatchObject([{ type: 'container' }, { type: 'error', error_type: 'cancelled' }]);
    const failing = setting().client().conversation('..').execute({ user_input: '1' });
    const [read, started] = [all(failing), failing.started()];
    await expect(read).rejects.toMatchObject({ code: 'INVALID_ID' });
    await expect(started).rejects.toMatchObject({ code: 'INVALID_ID' });
  });

  it('is read by one at a time', async () => {
    const execution = setting().client().conversation('two').execute({ user_input: SCRIPT });
    const reading = all(execution);
    await expect(all(execution)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(execution.close()).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect((await reading).at(-1)).toMatchObject({ type: 'done' });
  });

  it('gives its text apart from its errors, and runs again only under another key', async () => {
    const conversation = setting().client().conversation('result');
    const request = {
      user_input: 'import sys, random; print(random.random()); print("hm", file=sys.stderr); sys.exit(3)',
    };
    const first = await conversation.execute(request, { idempotencyKey: 'k' }).result();
    expect(first).toMatchObject({
      text: expect.stringMatching(/^0\.\d+(e-\d+)?\n$/),
      stderr: 'hm\n',
      gap: false,
      done: { subtype: 'error', exit_code: 3 },
    });
    expect(await conversation.execute(request, { idempotencyKey: 'k' }).result()).toEqual(first);
    expect((await conversation.execute(request).result()).executionId).not.toBe(first.executionId);
    const other = conversation.execute({ user_input: '1' }, { idempotencyKey: 'k' });
    await expect(other.result()).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', status: 409 });
  });
});
