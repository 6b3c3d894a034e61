import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentClient } from '../../../runtime/agent-client/agent-client.ts';
import { AgentMisbehaved, AgentUnreachable } from '../../../runtime/agent-client/agent-failures.ts';
import type { TerminalLine } from '../../../runtime/agent-client/terminal-line.ts';
import { isBerthError } from '../../../runtime/contracts/errors.ts';
import { terminalId } from '../../../runtime/contracts/ids.ts';

const MiB = 1024 * 1024;
const TERMINAL = terminalId('0'.repeat(24));
const [ATTACHED, OUTPUT, EXIT, INPUT, RESIZE] = [1, 2, 3, 4, 5];

let folder: string;
let server: Server;
let client: AgentClient;
let lines: Socket[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-line-'));
  lines = [];
});

afterEach(() => {
  client.close();
  for (const line of lines) line.destroy();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

function frame(type: number | undefined, payload: Uint8Array, length = payload.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(type ?? 0);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, payload]);
}

function attachedAt(offset: number | bigint): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeBigUInt64BE(BigInt(offset));
  return frame(ATTACHED, payload);
}

/** Whatever user code may put in the agent's place. */
async function agentThat(speak: (line: Socket) => void, upgrade = 'berth-terminal'): Promise<AgentClient> {
  const path = join(folder, 'agent.sock');
  server = createServer((_request, response) => {
    response.writeHead(404).end('{"code":"ROUTE_NOT_FOUND","message":"there is no such route"}');
  });
  server.on('upgrade', (_request, stream) => {
    const line = stream as Socket;
    lines.push(line);
    line.on('error', () => {});
    line.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`);
    speak(line);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  client = new AgentClient({ kind: 'socket', path }, 'token');
  return client;
}

const attach = (agent: AgentClient, after = 0, signal = AbortSignal.timeout(30_000)) =>
  agent.attachTerminal(TERMINAL, after, signal);

async function readAll({ output }: TerminalLine): Promise<{ shown: string; exitCode: number | null }> {
  let shown = '';
  for (;;) {
    const { value, done } = await output.next();
    if (done === true) return { shown, ...value };
    shown += value.toString('latin1');
  }
}

describe('a line to a terminal', () => {
  it.each([1, 4, 1000, 1_000_000])(
    'tells where it begins, what is shown and how it ended, in pieces of %i bytes',
    async (size) => {
      const bytes = Buffer.concat([
        attachedAt(7),
        ...Array.from('hello', (letter) => frame(OUTPUT, Buffer.from(letter))),
        frame(OUTPUT, Buffer.alloc(size < 10 ? 100 : 64 * 1024, 'x')),
        frame(EXIT, Buffer.of(3)),
      ]);
      const agent = await agentThat(async (line) => {
        for (let at = 0; at < bytes.length; at += size) {
          line.write(bytes.subarray(at, at + size));
          await new Promise(setImmediate);
        }
      });
      const line = await attach(agent, 3);
      expect(line.offset).toBe(7);
      const { shown, exitCode } = await readAll(line);
      expect(shown).toBe(`hello${'x'.repeat(size < 10 ? 100 : 64 * 1024)}`);
      expect(exitCode).toBe(3);
    },
  );

  it('of a command that a signal ended has no code', async () => {
    const bytes = Buffer.concat([attachedAt(0), frame(EXIT, Buffer.alloc(0))]);
    const agent = await agentThat((line) => line.end(bytes));
    expect(await readAll(await attach(agent))).toEqual({ shown: '', exitCode: null });
  });

  it('carries what is typed, and sizes', async () => {
    const heard: Buffer[] = [];
    const agent = await agentThat((line) => {
      line.write(attachedAt(0));
      line.on('data', (chunk: Buffer) => heard.push(chunk));
    });
    const line = await attach(agent);
    await line.type(Buffer.from('ls\n'));
    await line.resize(100, 40);
    const expected = Buffer.concat([
      frame(INPUT, Buffer.from('ls\n')),
      frame(RESIZE, Buffer.of(0, 100, 0, 40)),
    ]);
    await vi.waitFor(() => expect(Buffer.concat(heard)).toEqual(expected), 20_000);
  });

  it('of an agent from before there were terminals says so', async () => {
    const agent = await agentThat(() => {});
    server.removeAllListeners('upgrade');
    for (const call of [attach(agent), agent.listTerminals(AbortSignal.timeout(30_000))]) {
      const error = await call.catch((thrown) => thrown);
      expect(isBerthError(error, 'NOT_SUPPORTED')).toBe(true);
      expect(error.detail).toMatch(/image is older/);
    }
  });

  it('that breaks off tells no exit', async () => {
    const agent = await agentThat((line) =>
      line.end(Buffer.concat([attachedAt(0), frame(OUTPUT, Buffer.of(65))])),
    );
    await expect(readAll(await attach(agent))).rejects.toThrow(AgentUnreachable);
  });

  it('closes with its signal', async () => {
    const agent = await agentThat((line) => line.write(attachedAt(0)));
    const left = new AbortController();
    const line = await attach(agent, 0, left.signal);
    const reading = readAll(line);
    left.abort(new Error('they have left'));
    await expect(reading).rejects.toThrow('they have left');
    await vi.waitFor(() => expect(lines[0]?.readableEnded || lines[0]?.destroyed).toBe(true), 20_000);
  });
});

describe('an agent that breaks the protocol of terminals', () => {
  it.each<[string, Buffer, number?]>([
    ['says nothing of where it begins', frame(OUTPUT, Buffer.of(65))],
    ['begins in half a number', frame(ATTACHED, Buffer.alloc(4))],
    ['begins before what was asked for', attachedAt(4), 5],
    ['begins past any number', attachedAt(2n ** 60n)],
    ['speaks another language', Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
    ['begins twice', Buffer.concat([attachedAt(0), attachedAt(0)])],
    ['shows nothing, over and over', Buffer.concat([attachedAt(0), frame(OUTPUT, Buffer.alloc(0))])],
    ['types', Buffer.concat([attachedAt(0), frame(INPUT, Buffer.from('rm'))])],
    ['resizes', Buffer.concat([attachedAt(0), frame(RESIZE, Buffer.alloc(4))])],
    ['has a kind of its own', Buffer.concat([attachedAt(0), frame(200, Buffer.alloc(4))])],
    ['announces 4 GiB', Buffer.concat([attachedAt(0), frame(OUTPUT, Buffer.of(65), 2 ** 32 - 1)])],
    [
      'announces a byte too many',
      Buffer.concat([attachedAt(0), frame(OUTPUT, Buffer.of(65), 64 * 1024 + 1)]),
    ],
    ['ends with a code of two bytes', Buffer.concat([attachedAt(0), frame(EXIT, Buffer.alloc(2))])],
    [
      'goes on after the end',
      Buffer.concat([attachedAt(0), frame(EXIT, Buffer.of(0)), frame(OUTPUT, Buffer.of(65))]),
    ],
    ['ends twice', Buffer.concat([attachedAt(0), frame(EXIT, Buffer.of(0)), Buffer.of(3)])],
  ])('%s: is cut off', async (_what, bytes, after = 0) => {
    const agent = await agentThat((line) => line.write(bytes));
    const reading = (async () => readAll(await attach(agent, after)))();
    await expect(reading).rejects.toThrow(AgentMisbehaved);
    await vi.waitFor(() => expect(lines[0]?.readableEnded || lines[0]?.destroyed).toBe(true), 20_000);
  });

  it('goes on as something else: is cut off', async () => {
    const agent = await agentThat((line) => line.write(attachedAt(0)), 'websocket');
    await expect(attach(agent)).rejects.toThrow(AgentMisbehaved);
  });

  it('floods with tiny frames that nobody takes: memory stays flat', async () => {
    let sent = 0;
    const tiny = Buffer.concat(Array.from({ length: 20_000 }, () => frame(OUTPUT, Buffer.of(65))));
    const agent = await agentThat((line) => {
      line.write(attachedAt(0));
      const more = () => {
        while (sent < 200 * MiB && !line.destroyed && line.write(tiny)) sent += tiny.length;
      };
      line.on('drain', more);
      more();
    });
    const before = process.memoryUsage().rss;
    const line = await attach(agent);
    // It sends what the kernel takes, and then waits for somebody to read.
    await vi.waitFor(() => expect(lines[0]?.writableNeedDrain).toBe(true), 20_000);
    expect(sent).toBeLessThan(50 * MiB);
    let shown = 0;
    while (shown < 5 * MiB) {
      const { value, done } = await line.output.next();
      if (done === true) break;
      expect(value.length).toBeLessThan(MiB);
      shown += value.length;
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MiB);
    await line.output.return({ exitCode: null });
  });

  it('takes nothing of what is typed: whoever types waits, until the line closes', async () => {
    const agent = await agentThat((line) => {
      line.pause();
      line.write(attachedAt(0));
    });
    const left = new AbortController();
    const [line, other] = [await attach(agent), await attach(agent, 0, left.signal)];
    const taken: string[] = [];
    const typing = [
      line.type(Buffer.alloc(8 * MiB)).then(() => taken.push('read on')),
      other.type(Buffer.alloc(8 * MiB)).then(() => taken.push('closed')),
    ];
    await attach(agent); // the kernel has had time to take what it takes
    expect(taken).toEqual([]);
    left.abort();
    await typing[1];
    expect(taken).toEqual(['closed']);
    lines[0]?.resume();
    await typing[0];
  });
});
