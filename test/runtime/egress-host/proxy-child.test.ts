import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProxyChild, ProxyFailed } from '../../../runtime/egress-host/proxy-child.ts';
import { must } from '../../support/must.ts';

const PROGRAM = new URL('../../../runtime/egress/host-main.ts', import.meta.url);
const state = { allowed_domains: [], mcp_domains: [], mcp_servers: {}, signing: null, anthropic: null };
const CANARY = 'canary-in-the-environment';

describe('the egress proxy as a child', () => {
  let folder: string;
  let child: ProxyChild;
  const restarted = vi.fn();
  const put = (socket: string) =>
    child.ask({
      kind: 'put',
      container: 'ws-1',
      socket,
      rules: { kind: 'own', state },
      takeOver: true,
    });
  const ask = (socket: string) => {
    const connection = connect(socket);
    connection.end('GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n');
    return text(connection);
  };

  beforeEach(() => {
    restarted.mockReset();
    folder = mkdtempSync(join(tmpdir(), 'berth-proxy-'));
    const env = { ...process.env, ANTHROPIC_API_KEY: CANARY };
    child = new ProxyChild({ program: PROGRAM, env, log: pino({ level: 'silent' }), onRestarted: restarted });
  });

  afterEach(async () => {
    await child.close();
    rmSync(folder, { recursive: true });
  });

  it('listens where it is told, for every user, and refuses by its rules', async () => {
    const socket = join(folder, 'proxy.sock');
    await put(socket);
    expect(statSync(socket).mode & 0o777).toBe(0o666);
    expect(await ask(socket)).toMatch(/^HTTP\/1\.1 403 /);
    const { containers } = await child.ask({ kind: 'look' });
    expect(containers['ws-1']).toMatchObject({ refused: { not_allowed: 1 } });
  });

  it('is given nothing of our environment that it does not need', async () => {
    await put(join(folder, 'proxy.sock'));
    expect(readFileSync(`/proc/${must(child.pid)}/environ`, 'utf8')).not.toContain(CANARY);
  });

  it('keeps its place when it is told the same again, and knows when another took it', async () => {
    const socket = join(folder, 'proxy.sock');
    await put(socket);
    const { ino } = statSync(socket);
    await put(socket);
    expect(statSync(socket).ino).toBe(ino);

    const other = new ProxyChild({
      ...{ program: PROGRAM, env: process.env, log: pino({ level: 'silent' }), onRestarted: restarted },
    });
    try {
      await other.ask({
        kind: 'put',
        container: 'ws-1',
        socket,
        rules: { kind: 'own', state },
        takeOver: true,
      });
      expect((await child.ask({ kind: 'look' })).superseded).toEqual(['ws-1']);
      expect((await other.ask({ kind: 'look' })).superseded).toEqual([]);
      expect(await ask(socket)).toMatch(/^HTTP\/1\.1 403 /);
    } finally {
      await other.close();
    }
  });

  it('is started again when it is killed, and says so', async () => {
    await put(join(folder, 'proxy.sock'));
    const { pid } = child;
    process.kill(must(pid), 'SIGKILL');
    await vi.waitFor(() => expect(restarted).toHaveBeenCalledOnce(), { timeout: 10_000 });
    expect(child.pid).not.toBe(pid);
    expect((await child.ask({ kind: 'look' })).containers).toEqual({});
    await put(join(folder, 'proxy.sock'));
    expect(await ask(join(folder, 'proxy.sock'))).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('says what it can not do, and goes on', async () => {
    await expect(put(join(folder, 'nowhere', 'proxy.sock'))).rejects.toThrow(ProxyFailed);
    await put(join(folder, 'proxy.sock'));
  });

  it('ends with us', async () => {
    await put(join(folder, 'proxy.sock'));
    const pid = must(child.pid);
    await child.close();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(put(join(folder, 'proxy.sock'))).rejects.toMatchObject({ code: 'EGRESS_UNAVAILABLE' });
  });
});
