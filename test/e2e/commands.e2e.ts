import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { must } from '../support/must.ts';
import type { RuntimeProcess } from '../support/runtime-process.ts';

/** What a command can count on, and what one that misbehaves can not do. */
export function commandsWork(started: () => RuntimeProcess): void {
  let runtime: RuntimeProcess;
  beforeAll(() => {
    runtime = started();
  });

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
}
