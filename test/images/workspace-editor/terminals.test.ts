import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RunningEditor } from './running-editor.ts';
import { TerminalClient } from './terminal-client.ts';

const MB = 1024 * 1024;

describe('a terminal', () => {
  it("is a shell at home, with a terminal of its own and without what is the editor's", async () => {
    const compiled = mkdtempSync(join(tmpdir(), 'berth-compiled-'));
    onTestFinished(() => rmSync(compiled, { recursive: true }));
    const editor = await RunningEditor.start({ NODE_COMPILE_CACHE: compiled });
    const [terminal] = await TerminalClient.open(editor);
    terminal.type(
      'echo "at=$PWD home=$HOME port=[$PORT] compiled=[$NODE_COMPILE_CACHE] $TERM $(tty | cut -c1-8)"\n',
    );
    await terminal.sees(`at=${editor.home} home=${editor.home} port=[] compiled=[] xterm-256color /dev/pts`);
  });

  it('has the size that it was opened with, and every size that it is given', async () => {
    const editor = await RunningEditor.start();
    const [terminal] = await TerminalClient.open(editor, { rows: '31', columns: '97' });
    terminal.type('stty size\n');
    await terminal.sees('31 97');
    terminal.resize(50, 132);
    terminal.resize(12, 40);
    terminal.resize(0, 5000);
    terminal.type('stty size\n');
    await terminal.sees('12 40');
  });

  it('shows who comes back what was there, and goes on', async () => {
    const editor = await RunningEditor.start();
    const [first, id] = await TerminalClient.open(editor);
    first.type('marker=kept; echo "a $marker line"\n');
    await first.sees('a kept line');
    first.socket.close();
    const second = await TerminalClient.attach(editor, id);
    await second.sees('a kept line');
    expect(second.past).toBeGreaterThan(0);
    second.type('echo "still $marker"\n');
    await second.sees('still kept');
  });

  it('shows the same to everyone who looks', async () => {
    const editor = await RunningEditor.start();
    const [one, id] = await TerminalClient.open(editor);
    const other = await TerminalClient.attach(editor, id);
    one.type('echo $((40+2))-for-both\n');
    await Promise.all([one.sees('42-for-both'), other.sees('42-for-both')]);
  });

  it('tells the code of its end, also to who comes later, until it is closed', async () => {
    const editor = await RunningEditor.start();
    const [terminal, id] = await TerminalClient.open(editor);
    terminal.type('(sleep 300 &) ; echo last words; exit 7\n');
    await expect.poll(() => terminal.exitCode, { timeout: 5000 }).toBe(7);
    const later = await TerminalClient.attach(editor, id);
    await later.sees('last words');
    await expect.poll(() => later.exitCode).toBe(7);
    expect(await editor.ask('GET', 'terminals')).toEqual({
      terminals: [{ id, number: 1, exitCode: 7 }],
    });
    expect((await editor.call('DELETE', 'terminals', { id })).status).toBe(200);
    expect(await editor.ask('GET', 'terminals')).toEqual({ terminals: [] });
  });

  it('tells a signal as shells do', async () => {
    const editor = await RunningEditor.start();
    const [terminal] = await TerminalClient.open(editor);
    terminal.type('kill -9 $$\n');
    await expect.poll(() => terminal.exitCode, { timeout: 5000 }).toBe(137);
  });

  it('takes Ctrl+C in the middle of a flood, and the flood takes no memory', async () => {
    const editor = await RunningEditor.start();
    const [terminal] = await TerminalClient.open(editor);
    const before = editor.memory();
    terminal.type('yes\n');
    await expect.poll(() => terminal.bytes, { timeout: 20_000 }).toBeGreaterThan(10 * MB);
    expect(editor.memory() - before).toBeLessThan(60);
    terminal.type('\x03');
    terminal.type('echo flood""-over\n');
    await terminal.sees('flood-over');
  });

  it('waits for a page that draws slowly, lets go of one that sleeps, and then goes on without it', async () => {
    const editor = await RunningEditor.start();
    const [terminal, id] = await TerminalClient.open(editor);
    const finished = join(editor.home, 'finished');
    terminal.draws = false;
    terminal.type(`head -c 20000000 /dev/zero | tr '\\0' x; touch ${finished}\n`);
    await expect.poll(() => terminal.closed, { timeout: 15_000 }).toEqual({ code: 1013, reason: 'too slow' });
    expect(terminal.bytes).toBeLessThan(2 * MB);
    await expect.poll(() => existsSync(finished), { timeout: 15_000 }).toBe(true);
    const back = await TerminalClient.attach(editor, id);
    expect(back.bytes).toBeLessThanOrEqual(256 * 1024);
    back.type('echo here""-again\n');
    await back.sees('here-again');
  });

  it('ends what runs in it when it is closed, even what does not heed', async () => {
    const editor = await RunningEditor.start();
    const [terminal, id] = await TerminalClient.open(editor);
    terminal.type(
      'exec python3 -c \'import os,signal,time; signal.signal(signal.SIGHUP, signal.SIG_IGN); print("pid", os.getpid(), "!", flush=True); time.sleep(300)\'\n',
    );
    await terminal.sees(/pid \d+ !/);
    const pid = /pid (\d+) !/.exec(terminal.shown)?.[1];
    await editor.call('DELETE', 'terminals', { id });
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 5000 }).toBe(false);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('ends with the server at %s', async (signal) => {
    const editor = await RunningEditor.start();
    const [terminal] = await TerminalClient.open(editor);
    terminal.type('echo "pid $$ !"\n');
    await terminal.sees(/pid \d+ !/);
    const pid = /pid (\d+) !/.exec(terminal.shown)?.[1];
    editor.child.kill(signal);
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 5000 }).toBe(false);
  });

  it('is refused beyond sixteen, and when it is unknown', async () => {
    const editor = await RunningEditor.start();
    const opened = await Promise.all(Array.from({ length: 17 }, () => editor.call('POST', 'terminals')));
    expect(opened.map(({ status }) => status).sort()).toEqual([...Array(16).fill(201), 429]);
    await expect(TerminalClient.attach(editor, 'none')).rejects.toThrow('404');
  });

  it('says in one line that there is no python3', async () => {
    const editor = await RunningEditor.start({ PATH: '/nonexistent' });
    const [terminal] = await TerminalClient.open(editor);
    await terminal.sees('No terminal: there is no python3 here.');
    await expect.poll(() => terminal.exitCode).toBe(127);
  });

  it('takes nonsense without harm', async () => {
    const editor = await RunningEditor.start();
    const [terminal] = await TerminalClient.open(editor);
    for (const text of ['', '{', 'null', '[]', '{"drawn":-1}', '{"drawn":"x"}', '{"rows":1.5,"columns":2}'])
      terminal.socket.send(text);
    terminal.type('echo fine""-still\n');
    await terminal.sees('fine-still');
  });
});

describe('the watch', () => {
  it('tells which of the named folders changed, and nothing of others', async () => {
    const editor = await RunningEditor.start();
    for (const folder of ['seen', 'unseen']) mkdirSync(join(editor.home, folder));
    const socket = new WebSocket(`ws://127.0.0.1:${editor.port}/api/watch`);
    const messages: { watching?: number; changed?: string[] }[] = [];
    socket.onmessage = ({ data }) => messages.push(JSON.parse(`${data}`));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    socket.send(JSON.stringify({ folders: ['seen', '../..', 'absent', 5] }));
    await expect.poll(() => messages).toEqual([{ watching: 1 }]);
    writeFileSync(join(editor.home, 'unseen', 'file'), '');
    for (const name of ['one', 'two']) writeFileSync(join(editor.home, 'seen', name), '');
    await expect.poll(() => messages.slice(1)).toEqual([{ changed: ['seen'] }]);
    socket.close();
  });
});
