import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openProven } from '../../../../runtime/agent-client/proven-socket.ts';
import { attachedRun } from '../../../../runtime/containers/attached-run.ts';
import { beginRun } from '../../../../runtime/containers/ecs/volumes/begin-run.ts';
import { freePort } from '../../../support/services/free-port.ts';

const MAIN = fileURLToPath(new URL('../../../../images/workspace-base/volume/main.ts', import.meta.url));
const TOKEN = 't'.repeat(64);

describe('the program that works on a volume', () => {
  let child: ChildProcess;
  let folder: string;
  let port: number;
  let exited: Promise<unknown[]>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-volume-'));
    port = await freePort();
    child = spawn(process.execPath, [MAIN], {
      env: {
        PATH: process.env.PATH,
        VOLUME_TOKEN: TOKEN,
        VOLUME_PORT: String(port),
        VOLUME_FOLDER: folder,
      },
      stdio: 'inherit',
    });
    exited = once(child, 'exit');
  });
  afterEach(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const connected = (): Promise<Socket> =>
    vi.waitFor(() => openProven('127.0.0.1', port, TOKEN), { timeout: 20_000, interval: 50 });
  const started = async (script: string, ...args: string[]) => {
    const connection = await connected();
    await beginRun(connection, TOKEN, { script, args });
    const exitCode = async () => Number((await exited)[0]);
    return attachedRun({ connection, exitCode, broken: () => undefined, remove: async () => {} });
  };

  it('runs a script in the folder with the connection as its stdin and outputs, and ends as it does', async () => {
    const run = await started('cd "$1"; cat > "$2"; cat "$2" "$2"; echo told >&2; exit 7', 'copy');
    const said = text(run.stdout);
    run.stdin.end('x'.repeat(300_000));
    expect((await said).length).toBe(600_000);
    expect(await run.ended).toEqual({ exitCode: 7, words: 'told\n' });
    expect(readdirSync(folder)).toEqual(['copy']);
  });

  it('ends with its connection, and the script with it', async () => {
    const run = await started('cd "$1"; touch begun; while :; do echo .; sleep 0.1; done; touch over');
    await vi.waitFor(() => expect(readdirSync(folder)).toEqual(['begun']), { timeout: 10_000 });
    run.stdout.destroy();
    expect((await exited)[0]).toBe(137);
    expect(readdirSync(folder)).toEqual(['begun']);
  });

  it('leaves when it is asked to, whatever the script does', async () => {
    const run = await started('trap "" TERM; cd "$1"; touch begun; sleep 300 & wait');
    await vi.waitFor(() => expect(readdirSync(folder)).toEqual(['begun']), { timeout: 10_000 });
    run.stdout.resume();
    child.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ exitCode: 143 });
  });

  it('takes nobody without its token, no order that is none, and no second', async () => {
    const wrong = await connected();
    await expect(beginRun(wrong, 'x'.repeat(64), { script: 'true', args: [] })).rejects.toThrow('401');
    const none = await connected();
    none.write(
      `GET /run HTTP/1.1\r\nhost: v\r\nauthorization: Bearer ${TOKEN}\r\nconnection: Upgrade\r\nupgrade: x\r\n\r\n`,
    );
    expect(await text(none)).toMatch(/^HTTP\/1\.1 400 /);
    const run = await started('cat');
    const second = await connected();
    await expect(beginRun(second, TOKEN, { script: 'true', args: [] })).rejects.toThrow('409');
    run.stdin.end();
    run.stdout.resume();
    expect(await run.ended).toMatchObject({ exitCode: 0 });
    await expect(openProven('127.0.0.1', port, TOKEN)).rejects.toThrow();
  });
});
