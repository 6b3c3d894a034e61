import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAIN } from '../support/berth-command.ts';
import { CommandDesk } from '../support/command-desk.ts';
import { HttpRelay } from '../support/http-relay.ts';
import { describeWith } from '../support/services/provided.ts';

const CTRL_C = '\u0003';
const PATIENCE = { timeout: 60_000 };

describeWith('bubblewrap', 'conversations on the command line', () => {
  let desk: CommandDesk;
  beforeAll(async () => {
    desk = await CommandDesk.open();
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  it('runs code in a sandbox of its own, says what it says, and ends as it does', async () => {
    const code = 'import sys, os; print(os.environ["A"], "ü"); print("oh", file=sys.stderr); sys.exit(7)';
    expect(await desk.call(['run', '-c', code, '--env', 'A=1'])).toEqual({
      code: 7,
      stdout: '1 ü\n',
      stderr: 'oh\n',
    });
    await expect.poll(() => desk.conversations(), PATIENCE).toEqual([]);

    writeFileSync(desk.at('script.sh'), 'echo $0 in $PWD; echo kept > kept.txt');
    const kept = await desk.call(['run', 'script.sh', '--keep']);
    expect(kept).toMatchObject({ code: 0, stdout: expect.stringMatching(/ in \/workspace\n$/) });
    const [, id = ''] = /kept as (run-[0-9a-f]{12})$/.exec(kept.stderr.trim()) ?? [];
    expect(
      await desk.call(['run', '--conversation', id, '-'], 'print(open("kept.txt").read())'),
    ).toMatchObject({
      code: 0,
      stdout: 'kept\n\n',
    });
    const told = (await desk.call(['run', '--conversation', id, '-c', 'print(1)', '--json'])).stdout
      .trim()
      .split('\n');
    expect([...new Set(told.map((line) => JSON.parse(line).type))]).toEqual([
      'container',
      'text_delta',
      'done',
    ]);
    expect((await desk.call(['rm', id, '--purge'])).code).toBe(0);
  });

  it('streams: what is said arrives before the end', async () => {
    const code = `import os, time\nprint("first", flush=True)\nwhile not os.path.exists("go"): time.sleep(0.05)\nprint("last")`;
    const child = spawn(process.execPath, [MAIN, 'run', '--conversation', 'streamed', '-c', code], {
      cwd: desk.folder,
      env: desk.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const ended = once(child, 'close');
    await expect.poll(() => printed, PATIENCE).toBe('first\n');
    expect((await desk.call(['exec', 'streamed', 'touch', 'go'])).code).toBe(0);
    expect(await ended).toEqual([0, null]);
    expect(printed).toBe('first\nlast\n');
  });

  it('runs commands: input, both outputs, arguments as they are, every kind of end', async () => {
    expect(
      await desk.call(['exec', 'work', '--', 'sh', '-c', 'wc -w; echo b >&2; exit 3'], 'to be or'),
    ).toEqual({
      code: 3,
      stdout: '3\n',
      stderr: 'b\n',
    });
    const args = ['--json', '--help', '$HOME', "a'b", '', '-n', '--'];
    const echoed = await desk.call([
      'exec',
      'work',
      'python3',
      '-c',
      'import sys; print(sys.argv[1:])',
      ...args,
    ]);
    expect(echoed.stdout).toBe(`['--json', '--help', '$HOME', "a'b", '', '-n', '--']\n`);
    expect((await desk.call(['exec', '-n', 'work', 'cat'], 'left alone')).stdout).toBe('');
    for (const command of ['exec -n work head -c 300000 noise', 'run --conversation work noise.sh']) {
      const bash = `berth ${command} | sha256sum; berth exec -n work sha256sum noise`;
      writeFileSync(desk.at('noise.sh'), 'cat noise');
      await desk.call([
        'exec',
        '-n',
        'work',
        'sh',
        '-c',
        'test -e noise || head -c 300000 /dev/urandom > noise',
      ]);
      const [ours, theirs] = (await desk.bash(bash)).stdout.split('\n').map((line) => line.split(' ')[0]);
      expect(ours).toMatch(/^[0-9a-f]{64}$/);
      expect(ours).toBe(theirs);
    }
    expect((await desk.call(['exec', 'work', 'sh', '-c', 'kill -9 $$'])).code).toBe(137);
    expect(await desk.call(['exec', 'work', '--timeout', '1s', 'sleep', '600'])).toMatchObject({
      code: 124,
      stderr: expect.stringContaining('--timeout'),
    });
    const lines = (await desk.call(['exec', '--json', 'work', 'sh', '-c', 'echo out; exit 4'])).stdout
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'output', stream: 'stdout', text: 'out\n' },
      { type: 'exit', exit_code: 4 },
    ]);
    expect(await desk.call(['exec', 'work', 'cat'], new Uint8Array([0xff, 0xfe]))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^berth: standard input is no UTF-8 text; .+\n$/),
    });
  });

  it('cancels what runs at Ctrl-C, and leaves at once at another where nothing answers any more', async () => {
    await using running = desk.session([
      'run',
      '--conversation',
      'cut',
      '-c',
      'import time; print("up", flush=True); time.sleep(600)',
    ]);
    await expect.poll(() => running.shown, PATIENCE).toContain('up');
    running.type(CTRL_C);
    expect(await running.ended).toBe(130);
    const { executions } = (await (await desk.runtime.fetch('/v1/conversations/cut/executions')).json()) as {
      executions: unknown[];
    };
    expect(executions).toMatchObject([{ status: 'cancelled' }]);

    await using command = desk.session(['exec', 'cut', 'sh', '-c', 'echo up; exec sleep 601']);
    await expect.poll(() => command.shown, PATIENCE).toContain('up');
    command.type(CTRL_C);
    expect(await command.ended).toBe(130);
    const sleeping = () => desk.call(['exec', 'cut', 'sh', '-c', 'pgrep -f "sleep 60[1]" || echo none']);
    await expect.poll(async () => (await sleeping()).stdout, PATIENCE).toBe('none\n');

    await using relay = await HttpRelay.open(desk.runtime.url);
    relay.fate = ({ path }) => (path.endsWith('/cancel') ? 'ignore' : 'pass');
    await using stuck = desk.session(
      ['run', '--conversation', 'stuck', '-c', 'import time; print("up", flush=True); time.sleep(600)'],
      { BERTH_URL: relay.url },
    );
    await expect.poll(() => stuck.shown, PATIENCE).toContain('up');
    stuck.type(CTRL_C);
    await expect.poll(() => relay.asked('POST /v1/conversations/stuck/executions').length, PATIENCE).toBe(1);
    expect(stuck.isOver).toBe(false);
    await expect.poll(() => stuck.type(CTRL_C) ?? stuck.isOver, { ...PATIENCE, interval: 200 }).toBe(true);
    expect(await stuck.ended).toBe(130);
    expect((await desk.call(['rm', 'stuck', 'cut', '--purge'])).code).toBe(0);
  });

  it('ends quietly when its reader goes, and takes along what ran', async () => {
    const script = 'set -o pipefail; berth exec pipes -n -- yes one-of-many | head -n 1; echo $?';
    expect(await desk.bash(script)).toEqual({ stdout: 'one-of-many\n141\n', stderr: '' });
    const left = () => desk.call(['exec', 'pipes', 'sh', '-c', 'pgrep -f "one-of-man[y]" || echo none']);
    await expect.poll(async () => (await left()).stdout, PATIENCE).toBe('none\n');
  });
});
