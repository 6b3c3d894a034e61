import { describe, expect, it } from 'vitest';
import type { Berth, ExecutionEvent } from '../../../runtime/client/index.ts';
import type { Fate } from '../../support/http-relay.ts';
import { settingOfFile } from './client-setting.ts';

const setting = settingOfFile();
const problem = (
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
): Fate => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: JSON.stringify({ type: 't', title: 'T', detail: 'd', status, code, request_id: 'r', ...more }),
});
const BUSY = problem(503, 'STORE_UNAVAILABLE');

/** The first so many requests meet this; the rest pass. */
const first = (count: number, fate: Fate) => {
  setting().relay.fate = (_, before) => (before < count ? fate : 'pass');
};
const tries = () => setting().relay.requests.length;

const HARMLESS: [string, (berth: Berth) => Promise<unknown>][] = [
  ['GET', (berth) => berth.conversations.list().next()],
  ['PUT', (berth) => berth.warmPool.set({ min_size: 0, max_size: 0 })],
  ['PUT of a file', (berth) => berth.conversation('r').files.write('f', 'text')],
  ['POST of an execution', (berth) => berth.conversation('r').execute({ user_input: '1' }).result()],
];
const HARMFUL: [string, (berth: Berth) => Promise<unknown>][] = [
  ['a command', (berth) => berth.conversation('r').exec(['true'])],
  ['a command for its bytes', (berth) => berth.conversation('r').execBinary(['true'])],
  ['a call of a function', (berth) => berth.functions.invoke('none')],
  ['a new workspace', (berth) => berth.workspaces.create({ desired_state: 'PENDING' })],
  ['a retry of a workspace', (berth) => berth.workspaces.retry('none')],
  ['a sweep', (berth) => berth.sweep()],
  ['a file from a stream', (berth) => berth.conversation('r').files.write('f', new Blob(['x']).stream())],
];
const TROUBLES: [string, Fate][] = [
  ['a refused connection', 'refuse'],
  ['a lost answer', 'lose'],
  ['a busy service', BUSY],
  ["a load balancer's word", { status: 502, body: '<html>' }],
];

describe('a call that can do no harm', () => {
  it.each(
    HARMLESS.flatMap(([what, call]) => TROUBLES.map(([trouble, fate]) => ({ what, trouble, call, fate }))),
  )('$what is made again after $trouble', async ({ call, fate }) => {
    first(2, fate);
    await call(setting().client());
    expect(tries()).toBe(3);
  });

  it('is given up after its retries, with the last error', async () => {
    first(9, BUSY);
    await expect(setting().client({ retries: 2 }).health()).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      status: 503,
      requestId: 'r',
    });
    expect(tries()).toBe(3);
  });

  it('waits for as long as the service asks, in its header or its body, as a number or a date', async () => {
    const later = new Date(Date.now() + 2000).toUTCString();
    for (const fate of [
      problem(503, 'SHUTTING_DOWN', {}, { 'retry-after': later }),
      problem(429, 'CAPACITY_EXCEEDED', { retry_after: 1 }),
      problem(503, 'SHUTTING_DOWN', {}, { 'retry-after': '1' }),
    ]) {
      setting().relay.requests.length = 0;
      first(1, fate);
      const began = performance.now();
      await setting().client().health();
      expect(performance.now() - began).toBeGreaterThan(500);
      expect(tries()).toBe(2);
    }
  });

  it('is not made again where that can not help', async () => {
    for (const fate of [
      problem(500, 'INTERNAL'),
      problem(400, 'INVALID_ID'),
      problem(409, 'WORKSPACE_EXISTS'),
    ]) {
      first(1, fate);
      setting().relay.requests.length = 0;
      await expect(setting().client().health()).rejects.toMatchObject({ status: expect.any(Number) });
      expect(tries()).toBe(1);
    }
  });

  it('that deletes is done where its answer was lost, and there is nothing left to delete', async () => {
    const { files } = setting().client().conversation('r');
    await files.write('gone', 'x');
    setting().relay.fate = ({ method }) =>
      method === 'DELETE' && setting().relay.asked('DELETE').length === 0 ? 'lose' : 'pass';
    await files.delete('gone');
    expect(setting().relay.asked('DELETE')).toHaveLength(2);
    await expect(files.delete('gone')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });
});

describe('a call that might do harm', () => {
  it.each(
    HARMFUL.flatMap(([what, call]) => TROUBLES.map(([trouble, fate]) => ({ what, trouble, call, fate }))),
  )('$what is made once, also after $trouble', async ({ call, fate }) => {
    first(9, fate);
    await expect(call(setting().client())).rejects.toMatchObject({ name: 'BerthError', retryable: true });
    expect(tries()).toBe(1);
  });
});

describe('an answer that is none of ours', () => {
  const health = () => setting().client({ retries: 0 }).health();

  it.each<[string, Fate, object]>([
    [
      'no JSON',
      { status: 418, body: 'teapot' },
      { code: 'UNEXPECTED_ANSWER', status: 418, retryable: false },
    ],
    ['no body', { status: 500 }, { code: 'UNEXPECTED_ANSWER', status: 500 }],
    ['null', { status: 400, body: 'null' }, { code: 'UNEXPECTED_ANSWER' }],
    ['JSON of another kind', { status: 400, body: '{"code":{}}' }, { code: 'UNEXPECTED_ANSWER' }],
    [
      'too long',
      { status: 400, body: `{"code":"X","d":"${'x'.repeat(9e6)}"}` },
      { code: 'UNEXPECTED_ANSWER' },
    ],
    ['a page', { status: 200, body: '<html>' }, { code: 'UNEXPECTED_ANSWER', status: 200 }],
    [
      'a redirect',
      { status: 301, headers: { location: 'https://elsewhere.example/' } },
      { code: 'UNEXPECTED_ANSWER', detail: expect.stringContaining('https://elsewhere.example/') },
    ],
    ['a code of a later version', problem(422, 'NEWER'), { code: 'NEWER', status: 422, retryable: false }],
  ])('%s is an error with its status', async (_, fate, expected) => {
    setting().relay.fate = () => fate;
    await expect(health()).rejects.toMatchObject({ name: 'BerthError', ...expected });
  });

  it('nothing at all is a failed connection that says why', async () => {
    const nowhere = setting().client({ url: 'http://127.0.0.1:1', retries: 0 });
    await expect(nowhere.health()).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      status: undefined,
      detail: expect.stringMatching(/was not reached.*(ECONNREFUSED|bad port)/),
    });
  });

  const stream = (body: string): Fate => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body,
  });
  const read = async () => {
    const events: ExecutionEvent[] = [];
    for await (const event of setting().client({ retries: 1 }).conversation('c').execute({ user_input: '1' }))
      events.push(event);
    return events;
  };

  it('of a stream is told: no JSON, no object, no number, no end', async () => {
    for (const body of ['data: {\n\n', 'data: []\n\n', 'data: {}\n\n', 'id: x\ndata: {}\n\n']) {
      setting().relay.fate = () => stream(body);
      await expect(read()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', retryable: false });
    }
    setting().relay.fate = () => ({ status: 200, body: '<html>' });
    await expect(read()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 200 });
    setting().relay.fate = () => stream('');
    await expect(read()).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      detail: expect.stringContaining('ended before its last event'),
    });
  });

  it('of a stream that says nothing, and is there, is asked for again and again', async () => {
    const done = 'id: 1\nevent: done\ndata: {"execution_id":"ex-1","subtype":"success"}\n\n';
    setting().relay.fate = (_, before) => stream(before < 20 ? ': still here\n\n' : done);
    expect(await read()).toMatchObject([{ type: 'done' }]);
    expect(tries()).toBe(21);
  });

  it('that holds events of a later version passes them on, and the rest once', async () => {
    const done = 'id: 3\nevent: done\ndata: {"type":"done","execution_id":"ex-1","subtype":"success"}\n\n';
    const newer = 'id: 2\nevent: hologram\ndata: {"size":3}\n\n';
    setting().relay.fate = () => stream(`${newer}${newer}${done}${done}id: 4\nevent: error\ndata: {}\n\n`);
    expect(await read()).toEqual([
      { type: 'unknown', event: 'hologram', seq: 2, data: { size: 3 } },
      { type: 'done', execution_id: 'ex-1', subtype: 'success', seq: 3 },
    ]);
  });
});
