import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { berth } from '../support/berth-command.ts';
import { CommandDesk } from '../support/command-desk.ts';
import { HttpRelay } from '../support/http-relay.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith, docker, shell, workspaceImage } from '../support/services/provided.ts';
import { TerminalSession } from '../support/terminal/terminal-session.ts';

const PATIENCE = { timeout: 60_000 };

describeWith('bubblewrap', 'the command line itself', () => {
  let desk: CommandDesk;
  beforeAll(async () => {
    desk = await CommandDesk.open();
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  it('says in one line what is wrong, and whose fault it is', async () => {
    const away = { BERTH_URL: 'http://127.0.0.1:2' };
    const cases: [string[], Record<string, string>, number, string][] = [
      [
        ['ps'],
        { BERTH_API_KEY: 'berth_wrong' },
        1,
        'does not take this key: that of BERTH_API_KEY (UNAUTHENTICATED)',
      ],
      [['ps'], away, 1, 'nothing answers at http://127.0.0.1:2; start one with `berth start`'],
      [['run', '-c', '1'], away, 1, 'nothing answers at'],
      [['exec', 'x', 'ls'], { ...away, BERTH_DATA_DIR: desk.at('none') }, 1, 'nothing answers at'],
      [['ps'], { BERTH_DATA_DIR: desk.at('none') }, 2, 'set BERTH_API_KEY, or name a file with --key-file'],
      [['ps'], { BERTH_URL: 'nonsense' }, 2, 'BERTH_URL wants an address'],
      [['ps', '--key-file', desk.at('none')], {}, 2, 'there is no such file'],
      [['ps', '--jsn'], {}, 2, 'did you mean --json?'],
      [['pss'], {}, 2, 'did you mean berth ps?'],
      [['workspace', 'crate'], {}, 2, 'did you mean berth workspace create?'],
      [['exec', 'x'], {}, 2, '<command> is missing'],
      [['exec', 'a b', 'ls'], {}, 1, 'INVALID_ID'],
      [['exec', '..', 'ls'], {}, 2, 'INVALID_ID'],
      [['exec', 'x', '-t', 'soon', 'ls'], {}, 2, '--timeout wants a time'],
      [['run'], {}, 2, 'a file, or -c'],
      [['run', 'none.py'], {}, 2, `"none.py" can't be read: ENOENT`],
      [['pool', '--min', '9', '--max', '1'], {}, 1, 'INVALID_REQUEST'],
    ];
    for (const [args, env, code, message] of cases) {
      const end = await desk.call(args, '', env);
      expect(end, args.join(' ')).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringContaining(message),
      });
      expect(end.stderr, args.join(' ')).toMatch(/^berth[^\n]*: [^\n]+\n$/);
    }
    await using relay = await HttpRelay.open(desk.runtime.url);
    const body = JSON.stringify({ code: 'X', detail: 'red \u001b[31m\nline' });
    relay.fate = () => ({ status: 418, headers: { 'content-type': 'application/problem+json' }, body });
    expect((await desk.call(['ps', '--url', relay.url])).stderr).toBe('berth: red \\x1b[31m\\nline (X)\n');
    relay.fate = () => ({ status: 200, body: '<html>' });
    expect(await desk.call(['--url', relay.url, 'ps'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('something else answers'),
    });
  });

  it('completes in bash: commands, options, values, files and ids', async () => {
    await desk.call(['exec', 'completed', 'true']);
    for (const name of ['hello.mjs', 'request.json']) writeFileSync(desk.at(name), '');
    const script = `source <(berth completion bash)
complete() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _berth; printf '%s ' "\${COMPREPLY[@]}"; echo; }
complete berth wor
complete berth workspace ''
complete berth workspace create --st
complete berth ex
complete berth --url http://x exec --no
complete berth exec com
complete berth run hel
complete berth cp compl
complete berth keys create --scope ''
complete berth run --key-file requ
complete berth completion z
`;
    const { stdout, stderr } = await desk.bash(script);
    expect(stderr).toBe('');
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      'workspace',
      'create ls open start stop rm --help',
      '--standby-ttl --stopped',
      'exec',
      '--no-stdin',
      'completed',
      'hello.mjs',
      'completed:',
      'use admin',
      'request.json',
      'zsh',
      '',
    ]);
    writeFileSync(desk.at('rc'), "source <(berth completion bash)\nPS1='ready> '\n");
    await using terminal = new TerminalSession(['bash', '--rcfile', desk.at('rc'), '-i'], {
      env: desk.env,
      cwd: desk.folder,
    });
    await expect.poll(() => terminal.shown, PATIENCE).toContain('ready> ');
    terminal.type('berth works\tcrea\t');
    await expect.poll(() => terminal.shown, PATIENCE).toContain('berth workspace create ');
  });
});

describeWith(['bubblewrap', 'zsh', 'fish'], 'completion', () => {
  let desk: CommandDesk;
  beforeAll(async () => {
    desk = await CommandDesk.open();
    await desk.call(['exec', 'completed', 'true']);
    for (const name of ['hello.mjs', 'request.json']) writeFileSync(desk.at(name), '');
  });
  afterAll(() => desk?.[Symbol.asyncDispose]());

  it.each([
    ['berth works', ['workspace']],
    ['berth workspace ', ['create', 'ls', 'open', 'rm', 'start', 'stop']],
    ['berth workspace create --st', ['--standby-ttl', '--stopped']],
    ['berth --url http://x exec --no', ['--no-stdin']],
    ['berth exec com', ['completed']],
    ['berth run hel', ['hello.mjs']],
    ['berth cp compl', ['completed:']],
    ['berth keys create --scope ', ['admin', 'use']],
    ['berth run --key-file requ', ['request.json']],
    ['berth completion z', ['zsh']],
  ])('in fish offers for "%s" %j', async (line, offered) => {
    const { folder: cwd, env } = desk;
    const home = { HOME: desk.at('.'), XDG_CONFIG_HOME: desk.at('config') };
    const script = 'berth completion fish | source; complete -C $argv[1]';
    const { stdout } = await promisify(execFile)(shell('fish').path, ['-c', script, line], {
      cwd,
      env: { ...env, ...home },
    });
    const words = stdout
      .trim()
      .split('\n')
      .map((each) => each.split('\t')[0] ?? '');
    expect(words.sort()).toEqual(offered);
  });

  it('in zsh finishes what is typed: commands, options, values, files and ids', async () => {
    const lines = desk.at('lines');
    // Ctrl-X writes down the line as it stands, and begins another.
    const rc = `autoload -U compinit; compinit -u -d ${desk.at('zcompdump')}
source <(berth completion zsh)
written() { print -r -- "$BUFFER" >> ${lines}; BUFFER=''; zle redisplay }
zle -N written; bindkey '^X' written
PS1='ready> '
`;
    writeFileSync(desk.at('.zshrc'), rc);
    await using terminal = new TerminalSession([shell('zsh').path, '-i'], {
      env: { ...desk.env, ZDOTDIR: desk.folder, HOME: desk.folder },
      cwd: desk.folder,
    });
    await expect.poll(() => terminal.shown, PATIENCE).toContain('ready> ');
    const finished = [
      ['berth works\tcrea\t--sto\t', 'berth workspace create --stopped '],
      ['berth --url http://127.0.0.1:2 exec --no\t', 'berth --url http://127.0.0.1:2 exec --no-stdin '],
      ['berth exec comp\t', 'berth exec completed '],
      ['berth run hel\t', 'berth run hello.mjs '],
      ['berth cp compl\t', 'berth cp completed:'],
      ['berth keys create --scope a\t', 'berth keys create --scope admin '],
      ['berth run --key-file requ\t', 'berth run --key-file request.json '],
      ['berth completion z\t', 'berth completion zsh '],
    ] as const;
    for (const [typed, line] of finished) {
      terminal.type(`${typed}\x18`);
      await expect
        .poll(() => readFileSync(lines, { encoding: 'utf8', flag: 'a+' }), PATIENCE)
        .toContain(line);
    }
    const written = readFileSync(lines, 'utf8').trimEnd().split('\n');
    expect(written.map((line) => line.trimEnd())).toEqual(finished.map(([, line]) => line.trimEnd()));
  });
});

describeWith(['docker', 'workspace-base-image'], 'keys on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-keys-'));
  const file = join(folder, 'keys.json');
  let service: RuntimeProcess;
  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  it('are made for others, who see what is theirs, and taken back', async () => {
    const make = async (name: string) =>
      (await berth(['keys', 'create', '--tenant', 'acme', '--name', name, '--file', file])).stdout;
    const [kept, revoked] = [await make('kept'), await make('revoked')];
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, kept, { mode: 0o600 });
    service = await RuntimeProcess.start({
      env: {
        CONTAINER_MANAGER_TYPE: 'docker',
        DOCKER_HOST: docker().host,
        WORKSPACE_IMAGE: workspaceImage(),
        BERTH_API_KEYS_FILE: file,
      },
    });
    const said: string[] = [];
    const ask = async (...args: string[]) => {
      const end = await berth(args, { BERTH_URL: service.url, BERTH_API_KEY: revoked.trim() });
      said.push(end.stdout, end.stderr);
      return end;
    };
    expect((await ask('exec', 'mine', 'true')).code).toBe(0);
    expect((await ask('ps', '--key-file', keyFile)).stdout).toMatch(/^conversation +mine /m);
    expect(JSON.parse((await ask('ps', '--json')).stdout).containers).toBe(null);
    for (const args of [['logs', 'mine'], ['pool']])
      expect(await ask(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('FORBIDDEN') });
    expect((await berth(['keys', 'revoke', 'revoked', '--file', file])).code).toBe(0);
    await expect.poll(async () => (await ask('ps')).stderr, PATIENCE).toContain('UNAUTHENTICATED');
    expect((await ask('ps', '--key-file', keyFile)).code).toBe(0);
    for (const key of [kept, revoked]) expect(said.join('')).not.toContain(key.trim());
  });
});
