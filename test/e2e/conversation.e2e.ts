import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hashApiKey } from '../../runtime/access/api-key.ts';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';

/** What a caller can count on, whatever backend and store are behind it. */
export function conversationsWork(env: () => Record<string, string>): void {
  let runtime: RuntimeProcess;
  beforeAll(async () => {
    runtime = await RuntimeProcess.start({ env: { GRACE_PERIOD_SECONDS: '1', ...env() } });
    await vi.waitFor(async () => expect((await runtime.fetch('/ready')).status).toBe(200), 20_000);
  });
  afterAll(() => runtime[Symbol.asyncDispose]());

  const files = (conversation: string, path = '') => `/v1/conversations/${conversation}/files${path}`;

  describe('a command', () => {
    it('runs in a conversation that comes to be at its first use', async () => {
      const result = await runtime.exec('first', ['bash', '-c', 'echo out; echo err >&2; pwd; exit 3']);
      expect(result).toMatchObject({ exit_code: 3, stderr: 'err\n', truncated: false, timed_out: false });
      expect(result.stdout).toMatch(/^out\n.*workspace\n$/);
      expect(Object.keys(result)).not.toContain('output');
    });

    it('finds what the one before it left', async () => {
      await runtime.exec('state', ['bash', '-c', 'echo kept > note']);
      expect(await runtime.exec('state', ['cat', 'note'])).toMatchObject({ stdout: 'kept\n' });
    });

    it('gets its environment, input and folder', async () => {
      const result = await runtime.exec('first', ['bash', '-c', 'cat; echo $WHO; pwd'], {
        stdin: 'in ',
        env: { WHO: 'me "quoted" \n twice' },
        cwd: '/tmp',
      });
      expect(result.stdout).toBe('in me "quoted" twice\n/tmp\n');
    });

    it('knows no secret of the runtime', async () => {
      const { stdout } = await runtime.exec('first', ['env']);
      expect(stdout).not.toMatch(/BERTH_|AGENT_TOKEN|REDIS/);
    });

    it.each([
      ['a program with a name of 5 KB', { cmd: ['x'.repeat(5000)] }],
      ['a folder with a name of 5 KB', { cmd: ['true'], cwd: `/${'x'.repeat(5000)}` }],
    ])('that asks for %s is refused, and the conversation lives on', async (_title, body) => {
      await runtime.exec('refused', ['touch', 'kept']);
      expect(await (await runtime.post('/v1/conversations/refused/exec', body)).json()).toMatchObject({
        code: 'INVALID_REQUEST',
        errors: [{ path: '' }],
      });
      expect((await runtime.exec('refused', ['ls'])).stdout).toBe('kept\n');
    });

    it('that is not there is the caller’s mistake', async () => {
      expect(await runtime.exec('first', ['no-such-program'])).toMatchObject({
        status: 400,
        code: 'INVALID_REQUEST',
      });
    });

    it('streams its output as it is made', async () => {
      const answer = await runtime.post(
        '/v1/conversations/first/exec',
        { cmd: ['bash', '-c', 'echo one; sleep 0.5; echo two >&2'] },
        { headers: { accept: 'text/event-stream' } },
      );
      expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
      const text = await answer.text();
      expect(text).toContain('event: output\ndata: {"stream":"stdout","text":"one\\n"}\n\n');
      expect(text).toContain('event: output\ndata: {"stream":"stderr","text":"two\\n"}\n\n');
      expect(text.trim().split('\n\n').at(-1)).toMatch(
        /^event: exit\ndata: {"exit_code":0,"timed_out":false/,
      );
    });

    it('gives its bytes exactly', async () => {
      const short = await runtime.post('/v1/conversations/first/exec/binary', {
        cmd: ['python3', '-c', 'import sys; sys.stdout.buffer.write(bytes(range(256))); sys.exit(4)'],
      });
      expect(short.headers.get('x-exit-code')).toBe('4');
      expect(Buffer.from(await short.arrayBuffer())).toEqual(
        Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
      );
      const long = await runtime.post('/v1/conversations/first/exec/binary', {
        cmd: ['head', '-c', '5000000', '/dev/zero'],
      });
      expect((await long.arrayBuffer()).byteLength).toBe(5_000_000);
    });
  });

  describe('a command that misbehaves', () => {
    it('prints without end: cut at 1 MiB, killed at its timeout', async () => {
      const result = await runtime.exec('noisy', ['yes'], { timeout_seconds: 1 });
      expect(result).toMatchObject({ exit_code: null, timed_out: true, truncated: true });
      expect(result.stdout.length).toBe(2 ** 20);
    });

    it('prints without end into a stream nobody reads: killed at its timeout, memory flat', async () => {
      const rss = async () =>
        Number(
          /process_resident_memory_bytes (\d+)/.exec(await (await runtime.fetch('/metrics')).text())?.[1],
        );
      const before = await rss();
      const answer = await runtime.post(
        '/v1/conversations/noisy/exec',
        { cmd: ['yes'], timeout_seconds: 2 },
        { headers: { accept: 'text/event-stream' } },
      );
      const reader = must(answer.body).getReader();
      await reader.read();
      await sleep(1000); // the time in which an unbounded buffer would grow
      expect((await rss()) - before).toBeLessThan(100 * 2 ** 20);
      await reader.cancel();
    });

    it('ignores SIGTERM and forks: nothing of it is left', async () => {
      const mark = `mark${randomBytes(4).toString('hex')}`;
      const script = `trap "" TERM; for i in 1 2 3; do bash -c 'trap "" TERM; exec -a ${mark} sleep 300' & done; wait; sleep 300`;
      const result = await runtime.exec('stubborn', ['bash', '-c', script], { timeout_seconds: 1 });
      expect(result).toMatchObject({ timed_out: true, exit_code: null });
      const { stdout } = await runtime.exec('stubborn', [
        'bash',
        '-c',
        `for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2>/dev/null | grep '^${mark}'; grep -q '^State:.Z' $p/status 2>/dev/null && grep "^PPid:.$PPID$" $p/status; done; true`,
      ]);
      expect(stdout).toBe('');
    });

    it('is killed when its client goes', async () => {
      const mark = `mark${randomBytes(4).toString('hex')}`;
      const gone = new AbortController();
      const call = runtime.post(
        '/v1/conversations/left/exec',
        { cmd: ['bash', '-c', `(exec -a ${mark} sleep 30); touch survived`] },
        { signal: gone.signal },
      );
      const alive = async () =>
        (await runtime.exec('left', ['bash', '-c', `grep -l '^${mark}' /proc/[0-9]*/cmdline; true`])).stdout;
      await vi.waitFor(async () => expect(await alive()).not.toBe(''), 10_000);
      gone.abort();
      await expect(call).rejects.toThrow();
      await vi.waitFor(async () => expect(await alive()).toBe(''), 10_000);
      expect((await runtime.exec('left', ['ls'])).stdout).toBe('');
    });
  });

  describe('files', () => {
    it('go in and come out byte for byte, in folders that are made', async () => {
      const content = randomBytes(3_000_000);
      const put = await runtime.fetch(files('files', '/deep/er/data.bin'), { method: 'PUT', body: content });
      expect(put.status).toBe(204);
      const got = await runtime.fetch(files('files', '/deep/er/data.bin'));
      expect(got.headers.get('content-length')).toBe('3000000');
      expect(Buffer.from(await got.arrayBuffer())).toEqual(content);
      const list = (await (await runtime.fetch(files('files'))).json()) as {
        files: { path: string; size: number }[];
      };
      expect(list.files).toMatchObject([{ path: 'deep/er/data.bin', size: 3_000_000 }]);
    });

    it.each(["it's", 'new\nline', '"q"', 'ünïcode', '100%', 'a b', '-rf', '$(id)'])(
      'may be called %j',
      async (name) => {
        const path = files('names', `/${encodeURIComponent(name)}`);
        expect((await runtime.fetch(path, { method: 'PUT', body: name })).status).toBe(204);
        expect(await (await runtime.fetch(path)).text()).toBe(name);
        const { stdout } = await runtime.exec('names', ['cat', `./${name}`]);
        expect(stdout).toBe(name);
        expect((await runtime.fetch(path, { method: 'DELETE' })).status).toBe(204);
        expect((await runtime.fetch(path)).status).toBe(404);
      },
    );

    it.each(['/..%2f..%2fetc%2fpasswd', '/%2fetc%2fpasswd', '/a%00b', '/a//b', '/%ff'])(
      'are not at %s',
      async (path) => {
        await runtime.exec('paths', ['true']);
        const answer = await runtime.fetch(files('paths', path));
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ code: 'INVALID_PATH' });
      },
    );

    it('behind a link that leads out are refused, both ways', async () => {
      await runtime.exec('links', ['bash', '-c', 'ln -s /etc/passwd p; ln -s /etc d']);
      for (const path of ['/p', '/d/passwd']) {
        expect(await (await runtime.fetch(files('links', path))).json()).toMatchObject({
          code: 'INVALID_PATH',
        });
      }
      const put = await runtime.fetch(files('links', '/d/new'), { method: 'PUT', body: 'x' });
      expect(await put.json()).toMatchObject({ code: 'INVALID_PATH' });
    });

    it('may have any name, time and size, and no call costs the conversation its life', async () => {
      const before = await runtime.exec('odd', [
        'bash',
        '-c',
        'touch changes; touch -d @300000000000 future; truncate -s 4E huge; echo $$',
      ]);
      expect(before.exit_code).toBe(0);
      expect((await runtime.fetch(files('odd', '/changes'))).status).toBe(200);
      // Memory holds a file of 4 EiB, a disk may not: then it is an empty one.
      expect([200, 400]).toContain((await runtime.fetch(files('odd', '/huge'))).status);
      expect((await runtime.fetch(files('odd', '/changes'), { method: 'DELETE' })).status).toBe(204);
      await runtime.exec('odd', ['rm', 'huge']);
      const list = (await (await runtime.fetch(files('odd'))).json()) as { files: { path: string }[] };
      expect(list.files.map(({ path }) => path)).toEqual(['future']);
    });

    it('are not found where there are none, and reading makes no conversation', async () => {
      expect(await (await runtime.fetch(files('first', '/nothing'))).json()).toMatchObject({
        code: 'FILE_NOT_FOUND',
      });
      expect(await (await runtime.fetch(files('never', '/x'))).json()).toMatchObject({
        code: 'CONVERSATION_NOT_FOUND',
      });
      expect((await runtime.fetch('/v1/conversations/never')).status).toBe(404);
    });
  });

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
        .fetch(files('upload', '/never-ends'), { method: 'PUT', body, duplex: 'half' } as RequestInit)
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

    it('is deleted: work is waited for, then cancelled, and the next use begins anew', async () => {
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
      expect((await runtime.exec('gone', ['ls'])).stdout).toBe('');
    });
  });
}

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
}
