import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningAgent, TOKEN } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start({
    HTTPS_PROXY: 'http://127.0.0.1:8080',
    no_proxy: 'localhost',
    ANTHROPIC_BEDROCK_BASE_URL: 'http://127.0.0.1:8080',
    JAVA_HOME: '/opt/java',
    BERTH_CONTAINER: 'ws-0123456789ab',
  });
});
afterAll(() => agent.stop());

describe('/exec', () => {
  it('answers with what the command wrote, apart and in order, and how it ended', async () => {
    const result = await agent.sh('echo out; sleep 0.05; echo err >&2; sleep 0.05; echo more; exit 3');
    expect(result).toMatchObject({
      exit_code: 3,
      stdout: 'out\nmore\n',
      stderr: 'err\n',
      output: 'out\nerr\nmore\n',
      truncated: false,
      timed_out: false,
    });
    expect(result.duration_ms).toBeGreaterThanOrEqual(100);
    expect(result).not.toHaveProperty('signal');
  });

  it('tells which signal killed a command', async () => {
    const result = await agent.sh('kill -9 $$');
    expect(result).toMatchObject({ exit_code: null, signal: 'SIGKILL', timed_out: false });
  });

  it('runs in the workspace, in a folder of it, or anywhere', async () => {
    mkdirSync(join(agent.root, 'sub dir'));
    const where = async (cwd?: string) => (await agent.exec({ cmd: ['pwd'], ...(cwd && { cwd }) })).stdout;
    expect(await where()).toBe(`${agent.root}\n`);
    expect(await where('sub dir')).toBe(`${agent.root}/sub dir\n`);
    expect(await where('..')).toBe(`${join(agent.root, '..')}\n`);
    expect(await where('/usr')).toBe('/usr\n');
  });

  it('gives a command its stdin, also by name, and none at all otherwise', async () => {
    expect((await agent.exec({ cmd: ['cat'], stdin: 'Grüße\n' })).stdout).toBe('Grüße\n');
    expect((await agent.sh('cat /dev/stdin', { stdin: 'by name' })).stdout).toBe('by name');
    expect(await agent.exec({ cmd: ['cat'] })).toMatchObject({ stdout: '', exit_code: 0 });
    expect(await agent.exec({ cmd: ['cat'], stdin: '' })).toMatchObject({ stdout: '', exit_code: 0 });
  });

  it('takes a large stdin, also when the command does not read it', async () => {
    const stdin = 'x'.repeat(7 * 1024 * 1024);
    expect((await agent.exec({ cmd: ['wc', '-c'], stdin })).stdout.trim()).toBe(String(stdin.length));
    expect(await agent.exec({ cmd: ['true'], stdin })).toMatchObject({ exit_code: 0 });
  });

  it('lets a command open its own output by name', async () => {
    const result = await agent.sh('echo a >/dev/stderr; echo b | tee /dev/stderr >/dev/stdout');
    expect(result).toMatchObject({ exit_code: 0, stdout: 'b\n', stderr: 'a\nb\n' });
  });

  it('still does when somebody has emptied the temporary folder', async () => {
    await agent.sh('rm -rf "$TMPDIR"/*');
    expect(await agent.sh('echo a >/dev/stderr')).toMatchObject({ exit_code: 0, stderr: 'a\n' });
  });

  it('gives a command the environment of the image, but no token and no setting of the agent', async () => {
    const { stdout } = await agent.exec({ cmd: ['env'], env: { A: '1', LANG: 'de_DE.UTF-8' } });
    const env = Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s, 2)),
    );
    expect(env).toEqual({
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      TMPDIR: expect.any(String),
      LANG: 'de_DE.UTF-8',
      HTTPS_PROXY: 'http://127.0.0.1:8080',
      no_proxy: 'localhost',
      ANTHROPIC_BEDROCK_BASE_URL: 'http://127.0.0.1:8080',
      JAVA_HOME: '/opt/java',
      A: '1',
    });
    expect(stdout).not.toContain(TOKEN);
  });

  it('passes on a variable of any name', async () => {
    const body = '{"cmd":["env"],"env":{"__proto__":"x","a.b-c":"y"}}';
    const { json } = await agent.call('POST', '/exec', { body });
    expect(json.stdout).toContain('__proto__=x\n');
    expect(json.stdout).toContain('a.b-c=y\n');
  });

  it('decodes UTF-8 across chunks and replaces what is none', async () => {
    const split = String.raw`printf '\342'; sleep 0.05; printf '\202' ; printf E >&2; sleep 0.05; printf '\254 \377|\342\202'`;
    const result = await agent.sh(split);
    expect(result.stdout).toBe('€ \ufffd|\ufffd');
    expect(result.output.replace('E', '')).toBe('€ \ufffd|\ufffd');
  });

  it('keeps 1 MiB of each, and lets the command run on to its end', async () => {
    const flood =
      'head -c 3000000 /dev/zero | tr "\\0" a; head -c 2000000 /dev/zero | tr "\\0" b >&2; echo x >done';
    const result = await agent.sh(flood);
    expect(result).toMatchObject({ exit_code: 0, truncated: true });
    expect(result.stdout).toBe('a'.repeat(1024 * 1024));
    expect(result.stderr).toBe('b'.repeat(1024 * 1024));
    expect(result.output.length).toBe(1024 * 1024);
    expect((await agent.exec({ cmd: ['cat', 'done'] })).stdout).toBe('x\n');
  });

  it('does not call output truncated that just fits, nor cuts a character in two', async () => {
    const exact = await agent.sh('head -c 1048576 /dev/zero | tr "\\0" a');
    expect([exact.truncated, exact.stdout.length]).toEqual([false, 1024 * 1024]);
    const cut = await agent.sh('yes € | tr -d "\\n" | head -c 1048579');
    expect(cut.truncated).toBe(true);
    expect(cut.stdout).toMatch(/^€+$/);
  });

  it('runs many commands at a time', async () => {
    const numbers = Array.from({ length: 40 }, (_, number) => number);
    const results = await Promise.all(numbers.map((number) => agent.sh(`echo ${number} >/dev/stdout`)));
    expect(results.map(({ stdout }) => Number(stdout))).toEqual(numbers);
  });

  it.each([
    ['a program that is not there', { cmd: ['no-such-program'] }, 'COMMAND_NOT_FOUND', 'no-such-program'],
    ['a file that is no program', { cmd: ['./plain.txt'] }, 'INVALID_REQUEST', 'plain.txt'],
    ['a cwd that does not exist', { cmd: ['true'], cwd: 'nowhere' }, 'INVALID_REQUEST', 'nowhere'],
    ['a cwd that is a file', { cmd: ['true'], cwd: 'plain.txt' }, 'INVALID_REQUEST', 'plain.txt'],
    [
      'an argument too long for the system',
      { cmd: ['echo', 'x'.repeat(500_000)] },
      'INVALID_REQUEST',
      'long',
    ],
  ])('refuses %s', async (_name, body, code, mention) => {
    writeFileSync(join(agent.root, 'plain.txt'), 'x', { mode: 0o644 });
    for (const [path, accept] of [
      ['/exec', '*/*'],
      ['/exec', 'text/event-stream'],
      ['/exec/binary', '*/*'],
    ] as const) {
      const { status, json } = await agent.call('POST', path, { body, headers: { accept } });
      expect([status, json.code]).toEqual([400, code]);
      expect(json.message).toContain(mention);
    }
  });

  it.each([
    ['no JSON', '{"cmd":'],
    ['no body', ''],
    ['no object', '["ls"]'],
    ['no command', '{}'],
    ['an empty command', '{"cmd":[]}'],
    ['an empty name', '{"cmd":[""]}'],
    ['a command as a string', '{"cmd":"ls"}'],
    ['a number in it', '{"cmd":["ls",1]}'],
    ['a NUL in it', '{"cmd":["l\\u0000s"]}'],
    ['too many arguments', JSON.stringify({ cmd: Array(5000).fill('x') })],
    ['too long arguments', JSON.stringify({ cmd: ['x', 'x'.repeat(1024 * 1024)] })],
    ['an empty cwd', '{"cmd":["ls"],"cwd":""}'],
    ['a NUL in cwd', '{"cmd":["ls"],"cwd":"a\\u0000"}'],
    ['a name with = in env', '{"cmd":["ls"],"env":{"A=B":"1"}}'],
    ['an empty name in env', '{"cmd":["ls"],"env":{"":"1"}}'],
    ['a NUL in env', '{"cmd":["ls"],"env":{"A":"\\u0000"}}'],
    ['a stdin that is no string', '{"cmd":["ls"],"stdin":1}'],
    ['a timeout of 0', '{"cmd":["ls"],"timeout":0}'],
    ['a timeout below 0', '{"cmd":["ls"],"timeout":-1}'],
    ['a timeout beyond a day', '{"cmd":["ls"],"timeout":86401}'],
    ['a timeout that is no number', '{"cmd":["ls"],"timeout":"1"}'],
  ])('refuses %s', async (_name, body) => {
    const { status, json } = await agent.call('POST', '/exec', { body });
    expect([status, json.code]).toEqual([400, 'INVALID_REQUEST']);
  });

  it('refuses a body of more than 8 MiB, however it is sent', async () => {
    const body = JSON.stringify({ cmd: ['cat'], stdin: 'x'.repeat(8 * 1024 * 1024) });
    const chunked = { 'transfer-encoding': 'chunked' };
    for (const headers of [{}, chunked]) {
      const { status, json } = await agent.call('POST', '/exec', { body, headers });
      expect([status, json.code]).toEqual([413, 'BODY_TOO_LARGE']);
    }
    expect((await agent.sh('echo on')).stdout).toBe('on\n');
  });
});
