import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Api, BerthError, type ExecEvent } from '../../../runtime/client/index.ts';
import { execEvents } from '../../../runtime/http/routes/exec-schemas.ts';
import { settingOfFile } from './client-setting.ts';

const setting = settingOfFile();
const conversation = (id: string) => setting().client().conversation(id);

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

const bytesOf = async (stream: ReadableStream<Uint8Array>) => Buffer.from(await new Response(stream).bytes());

describe('a command', () => {
  it('gives its result, with all that may be said of it', async () => {
    expect(await conversation('exec').exec(['echo', 'hi'])).toMatchObject({ exit_code: 0, stdout: 'hi\n' });
    const script = 'cat; pwd; echo $WHO; echo no >&2; exit 4';
    const request = { cmd: ['bash', '-c', script], cwd: '/tmp', stdin: 'in\n', env: { WHO: 'me' } };
    expect(await conversation('exec').exec(request)).toEqual({
      exit_code: 4,
      stdout: 'in\n/tmp\nme\n',
      stderr: 'no\n',
      truncated: false,
      timed_out: false,
      duration_ms: expect.any(Number),
    });
  });

  it('gives as much as the service itself would of one that prints too much', async () => {
    const script = 'head -c 1500000 /dev/zero | tr "\\0" x; echo end >&2';
    const result = await conversation('exec').exec(['bash', '-c', script]);
    expect(result).toMatchObject({ exit_code: 0, stderr: 'end\n', truncated: true });
    expect(result.stdout).toBe('x'.repeat(1024 * 1024));
  });

  it('that takes too long is told so', async () => {
    const request = { cmd: ['sleep', '30'], timeout_seconds: 0.2 };
    expect(await conversation('exec').exec(request)).toMatchObject({ exit_code: null, timed_out: true });
  });

  it('comes as it is made, each event as the document says', async () => {
    const events: ExecEvent[] = await all(
      conversation('exec').execStream(['bash', '-c', 'echo a; echo b >&2']),
    );
    expect(events.at(-1)).toMatchObject({ type: 'exit', exit_code: 0 });
    expect(events.slice(0, -1)).toEqual(
      expect.arrayContaining([
        { type: 'output', stream: 'stdout', text: 'a\n' },
        { type: 'output', stream: 'stderr', text: 'b\n' },
      ]),
    );
    for (const { type, ...data } of events) execEvents[type].strict().parse(data);
  });

  it('is ended with its reader, and never asked for twice', async () => {
    const { relay } = setting();
    const pids = ['bash', '-c', 'echo $$; exec sleep 300'];
    let pid = '';
    for await (const event of conversation('exec').execStream(pids)) {
      if (event.type === 'output') pid = event.text.trim();
      break;
    }
    await expect
      .poll(() => conversation('exec').exec(['bash', '-c', `kill -0 ${pid}`]), { timeout: 10_000 })
      .toMatchObject({ exit_code: 1 });
    relay.requests.length = 0;
    for (const fate of ['refuse', 'lose', { status: 503 }, { events: 0, end: 'cut' }] as const) {
      relay.fate = () => fate;
      await expect(conversation('exec').exec(['true'])).rejects.toMatchObject({ retryable: true });
    }
    expect(relay.requests).toHaveLength(4);
  });

  it('gives the bytes of stdout, and how it ended as far as that can be known', async () => {
    const small = await conversation('exec').execBinary(['bash', '-c', "printf '\\x00\\xff'; exit 2"]);
    expect(small).toMatchObject({ exitCode: 2, timedOut: false });
    expect(await bytesOf(small.stdout)).toEqual(Buffer.from([0, 255]));
    const large = await conversation('exec').execBinary(['head', '-c', '3000000', '/dev/zero']);
    expect(large).toMatchObject({ exitCode: undefined, timedOut: undefined });
    expect(await bytesOf(large.stdout)).toEqual(Buffer.alloc(3_000_000));
    const killed = await conversation('exec').execBinary({ cmd: ['sleep', '9'], timeout_seconds: 0.1 });
    expect(killed).toMatchObject({ exitCode: null, timedOut: true });
  });
});

describe('files', () => {
  it('go in as text, bytes, blobs and streams, and come out as they were', async () => {
    const { files } = conversation('files');
    const bytes = randomBytes(3_000_000);
    await files.write('a/ü ?.txt', 'grüße');
    await files.write('bytes', bytes, { durable: true });
    await files.write('blob', new Blob(['blob']));
    await files.write('stream', new Blob([bytes]).stream());
    await files.write('empty', '');
    expect(await files.readText('a/ü ?.txt')).toBe('grüße');
    expect(await bytesOf(await files.read('stream'))).toEqual(bytes);
    expect(await bytesOf(await files.read('empty'))).toEqual(Buffer.alloc(0));
    const { files: listed } = await files.list();
    expect(listed.map(({ path }) => path).sort()).toEqual(['a/ü ?.txt', 'blob', 'bytes', 'empty', 'stream']);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(listed.find(({ path }) => path === 'bytes')).toMatchObject({ size: 3_000_000, sha256 });
    await files.delete('blob', { durable: true });
    await expect(files.readText('blob')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND', status: 404 });
  });

  it('cut short never look whole', async () => {
    const { files } = conversation('files');
    await files.write('cut', randomBytes(100_000));
    const answer = {
      status: 200,
      headers: { 'content-length': '100000', connection: 'close' },
      body: 'only this',
    };
    setting().relay.fate = () => answer;
    await expect(files.read('cut').then(bytesOf)).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
    setting().relay.fate = () => 'pass';
    const stream = await files.read('cut');
    await stream.cancel();
    await expect.poll(() => setting().relay.underWay).toBe(0);
  });

  it('lie nowhere else', async () => {
    await expect(conversation('files').files.readText('../../../v1/warm-pool')).rejects.toMatchObject({
      code: 'INVALID_PATH',
    });
    expect(setting().relay.requests).toEqual([]);
  });
});

describe('a conversation', () => {
  it('is got, listed a page after the other, limited in what it lets out, and deleted', async () => {
    const one = conversation('whole');
    await one.exec(['true']);
    const record: Api.Conversation = await one.get();
    expect(record).toMatchObject({ conversation_id: 'whole', status: 'idle' });
    const listed = await all(setting().client().conversations.list());
    expect(listed.map(({ conversation_id }) => conversation_id)).toEqual(['exec', 'files', 'whole']);
    expect(await all(setting().client().conversations.list({ status: 'draining' }))).toEqual([]);
    expect(await one.egress()).toEqual({ allowed_domains: null, mcp_servers: {}, recent_refusals: [] });
    expect(await one.egress({ allowed_domains: [] })).toMatchObject({ allowed_domains: [] });
    await one.delete({ purge: true });
    await expect
      .poll(() => one.get().catch(({ code }) => code), { timeout: 10_000 })
      .toBe('CONVERSATION_NOT_FOUND');
  });

  it('is listed over as many pages as there are', async () => {
    const record: Pick<Api.Conversation, 'conversation_id'> = { conversation_id: 'x' };
    setting().relay.fate = ({ path }) => {
      const cursor = Number(new URL(path, 'http://x').searchParams.get('cursor') ?? 0);
      const next_cursor = cursor === 2 ? null : String(cursor + 1);
      return { status: 200, body: JSON.stringify({ conversations: [record, record], next_cursor }) };
    };
    expect(await all(setting().client().conversations.list())).toHaveLength(6);
    expect(setting().relay.requests).toHaveLength(3);
  });
});

describe('an error', () => {
  it('is one class, with what the service said', async () => {
    const error = await conversation('bad')
      .exec([])
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BerthError);
    expect(error).toMatchObject({
      name: 'BerthError',
      code: 'INVALID_REQUEST',
      status: 400,
      retryable: false,
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      problem: { errors: [{ path: 'cmd', message: expect.any(String) }] },
    });
  });

  it('says which execution is in the way', async () => {
    const busy = conversation('busy').execute({ user_input: 'import time; time.sleep(60)' });
    const id = await busy.started();
    await expect(conversation('busy').execute({ user_input: '1' }).result()).rejects.toMatchObject({
      code: 'CONVERSATION_LOCKED',
      status: 409,
      retryable: true,
      problem: { execution_id: id },
    });
    await busy.cancel();
    await busy.result().catch(() => undefined);
  });

  it('is told of a key that is none', async () => {
    const stranger = setting().client({ key: 'berth_wrong' });
    await expect(stranger.conversation('c').get()).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      status: 401,
    });
    expect(() => setting().client({ key: '' })).toThrow(/INVALID_REQUEST: `key` wants/);
    expect(() => setting().client({ key: 'a\nb' })).toThrow(BerthError);
  });
});
