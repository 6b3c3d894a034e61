import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { openTerminal, PATIENCE, TestViewer } from '../support/terminal-viewer.ts';

const MiB = 2 ** 20;
const LONG = 120_000;

/** What whoever looks into a conversation can count on. */
export function terminalsWork(started: () => RuntimeProcess): void {
  let runtime: RuntimeProcess;
  beforeAll(() => {
    runtime = started();
  });

  const list = async (conversation: string) => {
    const answer = await runtime.fetch(`/v1/conversations/${conversation}/terminals`);
    return ((await answer.json()) as { terminals: Record<string, unknown>[] }).terminals;
  };
  const rss = async () =>
    Number(/process_resident_memory_bytes (\d+)/.exec(await (await runtime.fetch('/metrics')).text())?.[1]);

  describe('a terminal', () => {
    it('is a shell in the conversation’s workspace, of the size that its viewer has', {
      timeout: LONG,
    }, async () => {
      const path = await openTerminal(runtime, 'shell', { cols: 120, rows: 30 });
      const viewer = await TestViewer.open(runtime, path);
      viewer.type('echo "size $(stty size) term $TERM"; pwd; env | grep -c "^AGENT_\\|^BERTH_TOKEN"; tty\n');
      await viewer.sees(/size 30 120 term xterm-256color\r\n.*workspace\r\n0\r\n\/dev\/pts\//);
      expect(viewer.told).toEqual([{ type: 'attached', offset: 0 }]);
      viewer.say({ type: 'resize', cols: 99, rows: 41 });
      viewer.say({ type: 'of a later version' });
      viewer.type('echo "now $(stty size)"\n');
      await viewer.sees(/now 41 99\r\n/);
      viewer.type('exit 3\n');
      await viewer.hears({ type: 'exit', exit_code: 3 });
      expect(await viewer.closed).toMatchObject({ code: 1000 });
      expect(await list('shell')).toMatchObject([
        { conversation_id: 'shell', status: 'exited', exit_code: 3, cmd: ['bash'], cols: 99, rows: 41 },
      ]);
      // Who comes late gets the rest, and the exit.
      const late = await TestViewer.open(runtime, path, { after: viewer.received - 6 });
      await late.hears({ type: 'exit', exit_code: 3 });
      expect(late.bytes).toEqual(viewer.bytes.subarray(-6));
    });

    it('goes on where a viewer left off, and is the same for all', { timeout: LONG }, async () => {
      const script =
        'read go; for i in $(seq 1500); do echo "line $i €"; [ $((i % 100)) = 0 ] && sleep 0.02; done; read end';
      const path = await openTerminal(runtime, 'again', { cmd: ['bash', '-c', script] });
      const [all, first] = [await TestViewer.open(runtime, path), await TestViewer.open(runtime, path)];
      first.type('go\n');
      await first.sees(/line 100 /);
      first.socket.terminate();
      await first.closed;
      const second = await TestViewer.open(runtime, path, { after: first.received });
      await second.sees(/line 1500 /);
      await all.sees(/line 1500 /);
      expect(second.told[0]).toEqual({ type: 'attached', offset: first.received });
      expect(Buffer.concat([first.bytes, second.bytes])).toEqual(all.bytes);
      second.type('\n');
      await all.hears({ type: 'exit', exit_code: 0 });
    });

    it('keeps the last 256 KiB, and says what it no longer has', { timeout: LONG }, async () => {
      const script = 'stty -onlcr; read go; seq 100000; echo done; read end';
      const path = await openTerminal(runtime, 'again', { cmd: ['bash', '-c', script] });
      const whole = await TestViewer.open(runtime, path);
      whole.type('go\n');
      await whole.sees(/done\n$/);
      const late = await TestViewer.open(runtime, path);
      await late.sees(/done\n$/);
      const offset = Number(late.told[0]?.offset);
      expect(offset).toBe(whole.received - late.received);
      expect(late.received).toBeGreaterThan(250 * 1024);
      expect(late.received).toBeLessThanOrEqual(256 * 1024);
      expect(late.bytes).toEqual(whole.bytes.subarray(offset));
      expect((await TestViewer.try(runtime, path, { after: whole.received + 1 })) as object).toMatchObject({
        status: 400,
        problem: { code: 'INVALID_REQUEST' },
      });
      expect((await runtime.fetch(path, { method: 'DELETE' })).status).toBe(204);
    });

    it('ended takes all that was started there with it', { timeout: LONG }, async () => {
      const mark = `mark${randomBytes(4).toString('hex')}`;
      const path = await openTerminal(runtime, 'ended');
      const viewer = await TestViewer.open(runtime, path);
      viewer.type(`trap "" HUP TERM; (trap "" HUP TERM; exec -a ${mark} sleep 300) & sleep 300\n`);
      const alive = async () =>
        (await runtime.exec('ended', ['bash', '-c', `grep -l '^${mark}' /proc/[0-9]*/cmdline; true`])).stdout;
      await vi.waitFor(async () => expect(await alive()).not.toBe(''), PATIENCE);
      expect((await runtime.fetch(path, { method: 'DELETE' })).status).toBe(204);
      expect(await alive()).toBe('');
      expect(await viewer.closed).toMatchObject({ code: 1000 });
      expect(viewer.told.at(-1)).toEqual({ type: 'exit', exit_code: null });
      const again = await runtime.fetch(path, { method: 'DELETE' });
      expect(await again.json()).toMatchObject({ status: 404, code: 'TERMINAL_NOT_FOUND' });
      expect(await list('ended')).toEqual([]);
    });

    it('goes with its conversation, without waiting for whoever looks', { timeout: LONG }, async () => {
      const viewer = await TestViewer.open(runtime, await openTerminal(runtime, 'deleted'));
      await runtime.fetch('/v1/conversations/deleted', { method: 'DELETE' });
      expect(await viewer.closed).toMatchObject({ code: 4404 });
    });

    it('that can’t be is told why', { timeout: LONG }, async () => {
      const refused = async (body: object) =>
        (await (await runtime.post('/v1/conversations/refused/terminals', body)).json()) as object;
      const wrong = { status: 400, code: 'INVALID_REQUEST' };
      expect(await refused({ cmd: ['no-such-program'] })).toMatchObject(wrong);
      expect(await refused({ cwd: 'no/such/folder' })).toMatchObject(wrong);
      expect(await refused({ cols: 1001 })).toMatchObject(wrong);
      expect(await refused({ cmd: ['x'.repeat(40_000)] })).toMatchObject(wrong);
      const many = Array.from({ length: 17 }, () => refused({ cmd: ['sleep', '300'] }));
      expect(await Promise.all(many)).toContainEqual(
        expect.objectContaining({ status: 429, code: 'CAPACITY_EXCEEDED' }),
      );
      expect(await list('refused')).toHaveLength(16);
      await runtime.fetch('/v1/conversations/refused?purge=true', { method: 'DELETE' });
    });
  });

  describe('a viewer', () => {
    it('that reads nothing of a flood is let go, and slows nobody for long', { timeout: LONG }, async () => {
      const before = await rss();
      const path = await openTerminal(runtime, 'flood');
      const [deaf, reader] = [await TestViewer.open(runtime, path), await TestViewer.open(runtime, path)];
      reader.keepNothing();
      deaf.socket.pause();
      reader.type('yes\n');
      // Kernels hold some megabytes of it on the way.
      await vi.waitFor(() => expect(reader.received).toBeGreaterThan(25 * MiB), { timeout: 100_000 });
      expect((await rss()) - before).toBeLessThan(100 * MiB);
      deaf.socket.resume();
      // Told 1013, if it reads that within half a minute.
      expect([1013, 1006]).toContain((await deaf.closed).code);
      expect(deaf.received).toBeLessThan(20 * MiB);
      reader.type('\x03');
      reader.type('echo "still $((40 + 2))"\n');
      const third = await TestViewer.open(runtime, path);
      await third.sees(/still 42\r\n/);
      await runtime.fetch(path, { method: 'DELETE' });
    });

    it('pastes a megabyte: all of it arrives, or waits where nobody reads', { timeout: LONG }, async () => {
      const before = await rss();
      const pasted = randomBytes(1_000_000);
      const script = 'stty raw -echo; echo ready; head -c 1000000 | sha256sum; echo idle; exec sleep 300';
      const path = await openTerminal(runtime, 'paste', { cmd: ['bash', '-c', script] });
      const viewer = await TestViewer.open(runtime, path);
      await viewer.sees(/ready/);
      viewer.type(pasted);
      await viewer.sees(new RegExp(createHash('sha256').update(pasted).digest('hex')));
      await viewer.sees(/idle/);
      for (let sent = 0; sent < 30; sent += 1) viewer.type(pasted);
      const other = await TestViewer.open(runtime, path);
      other.say({ type: 'resize', cols: 77, rows: 33 });
      await vi.waitFor(
        async () => expect(await list('paste')).toMatchObject([{ cols: 77, rows: 33 }]),
        PATIENCE,
      );
      expect((await rss()) - before).toBeLessThan(100 * MiB);
      expect(viewer.socket.bufferedAmount).toBeGreaterThan(10 * MiB);
      await runtime.fetch(path, { method: 'DELETE' });
      await other.hears({ type: 'exit', exit_code: null });
    });

    it('shows its key as a subprotocol where it can set no header', { timeout: LONG }, async () => {
      const path = await openTerminal(runtime, 'shell', { cmd: ['cat'] });
      const key = `berth.key.${Buffer.from(runtime.developmentKey).toString('base64url')}`;
      const options = { headers: { origin: runtime.url }, protocols: ['berth.terminal', key] };
      const viewer = await TestViewer.open(runtime, path, options);
      expect(viewer.socket.protocol).toBe('berth.terminal');
      viewer.type('hello\n');
      await viewer.sees(/hello\r\nhello\r\n/);
      await runtime.fetch(path, { method: 'DELETE' });
    });

    it('that may not is refused before anything is opened', { timeout: LONG }, async () => {
      const path = await openTerminal(runtime, 'shell', { cmd: ['cat'] });
      const own = { authorization: `Bearer ${runtime.developmentKey}` };
      const refused = (at: string, headers: Record<string, string>, protocols: string[] = []) =>
        TestViewer.try(runtime, at, { headers, protocols });
      expect(await refused(path, {})).toMatchObject({ status: 401, problem: { code: 'UNAUTHENTICATED' } });
      expect(await refused(path, {}, ['berth.terminal', 'berth.key.bm9uZQ'])).toMatchObject({ status: 401 });
      for (const origin of ['https://elsewhere.example', 'null'])
        expect(await refused(path, { ...own, origin })).toMatchObject({
          status: 403,
          problem: { code: 'FORBIDDEN' },
        });
      const missing = `${path.slice(0, path.lastIndexOf('/'))}/tm-${'0'.repeat(24)}`;
      for (const at of [missing, missing.replace('/shell/', '/none/')])
        expect(await refused(at, own)).toMatchObject({
          status: 404,
          problem: { code: 'TERMINAL_NOT_FOUND' },
        });
      expect((await runtime.fetch('/v1/conversations/none')).status).toBe(404);
      expect(await refused(`${path}x`, own)).toMatchObject({ status: 400, problem: { code: 'INVALID_ID' } });
      expect(await (await runtime.fetch(`${path}/socket`)).json()).toMatchObject({
        status: 400,
        code: 'INVALID_REQUEST',
      });
    });

    it.each([
      ['no JSON', 'stty'],
      ['no object', '"resize"'],
      ['a size that no screen has', '{"type":"resize","cols":1000000,"rows":24}'],
      ['a size that is no number', '{"type":"resize","cols":"80","rows":[]}'],
    ])('that says %s is sent away, and the terminal lives on', { timeout: LONG }, async (_what, text) => {
      const path = await openTerminal(runtime, 'shell', { cmd: ['cat'] });
      const viewer = await TestViewer.open(runtime, path);
      viewer.socket.send(text);
      expect(await viewer.closed).toMatchObject({ code: 1008, reason: expect.stringMatching(/ /) });
      const next = await TestViewer.open(runtime, path);
      next.type('hello\n');
      await next.sees(/hello\r\nhello\r\n/);
      expect((await runtime.fetch(path, { method: 'DELETE' })).status).toBe(204);
    });
  });
}

/** What time, and the end of the service, do to terminals. */
export function terminalsAndTime(env: () => Record<string, string>): void {
  it('idle time ends no conversation that is looked at, and a stop sends viewers away', {
    timeout: LONG,
  }, async () => {
    const ttl = { CONTAINER_TTL_SECONDS: '3', GC_INTERVAL_SECONDS: '0.2' };
    await using runtime = await RuntimeProcess.start({ env: { ...env(), ...ttl } });
    await vi.waitFor(async () => expect((await runtime.fetch('/ready')).status).toBe(200), PATIENCE);
    // On a slow machine its time may be up before anybody looks.
    const lookAt = (conversation: string) =>
      vi.waitFor(async () => TestViewer.open(runtime, await openTerminal(runtime, conversation)), PATIENCE);
    const viewer = await lookAt('looked-at');
    // Nobody looks at this one, which came later.
    await openTerminal(runtime, 'alone');
    const gone = async (conversation: string) =>
      expect((await runtime.fetch(`/v1/conversations/${conversation}`)).status).toBe(404);
    await vi.waitFor(() => gone('alone'), PATIENCE);
    viewer.type('echo "still $((40 + 2))"\n');
    await viewer.sees(/still 42\r\n/);
    viewer.socket.close();
    await vi.waitFor(() => gone('looked-at'), PATIENCE);

    const last = await lookAt('last');
    await runtime.stop();
    expect(await last.closed).toEqual({ code: 1001, reason: 'going away' });
  });
}
