import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { AgentMisbehaved } from '../../../runtime/agent-client/agent-failures.ts';
import { openProven } from '../../../runtime/agent-client/proven-socket.ts';
import {
  agentWith,
  answerOf,
  atEnd,
  HOST,
  healthFor,
  impostorThat,
  nonceIn,
  TOKEN,
} from './whoever-has-the-address.ts';

const proved = (request: string): string => JSON.stringify(healthFor(request));
const other = (request: string): string => JSON.stringify(healthFor(request, 'another'));

function closedAtEnd(socket: Socket): void {
  atEnd(() => socket.destroy());
}

describe('a connection to an address', () => {
  it('is had once who is there has proved to know the token', async () => {
    const { port, connections } = await agentWith(TOKEN);
    const socket = await openProven(HOST, port, TOKEN);
    atEnd(() => socket.destroy());

    expect(socket.destroyed).toBe(false);
    expect(connections).toEqual([['GET /health']]);
  });

  it('is had also where the answer comes in pieces', async () => {
    const { port } = await impostorThat((request, socket) => {
      const answer = answerOf(proved(request));
      const pieces = [...answer].map((letter) => Buffer.from(letter));
      Readable.from(pieces).on('data', (piece) => socket.write(piece));
    });
    closedAtEnd(await openProven(HOST, port, TOKEN));
  });

  it('asks another thing each time', async () => {
    const nonces: string[] = [];
    const { port } = await impostorThat((request, socket) => {
      nonces.push(nonceIn(request));
      socket.write(answerOf(proved(request)));
    });
    for (let n = 0; n < 3; n += 1) closedAtEnd(await openProven(HOST, port, TOKEN));
    expect(new Set(nonces).size).toBe(3);
  });
});

describe('an address that another has by now', () => {
  it.each<[string, RegExp, (request: string, socket: Socket) => void]>([
    ['a wrong proof', /does not prove/, (request, socket) => socket.write(answerOf(other(request)))],
    ['no proof', /does not prove/, (_request, socket) => socket.write(answerOf('{"status":"ok"}'))],
    ['an empty proof', /does not prove/, (_request, socket) => socket.write(answerOf('{"proof":""}'))],
    [
      'a proof that is no text',
      /does not prove/,
      (_request, socket) => socket.write(answerOf('{"proof":[1]}')),
    ],
    [
      'half the proof',
      /does not prove/,
      (request, socket) => {
        socket.write(answerOf(JSON.stringify({ proof: healthFor(request).proof.slice(0, 32) })));
      },
    ],
    [
      'what it was asked',
      /does not prove/,
      (request, socket) => {
        socket.write(answerOf(JSON.stringify({ proof: nonceIn(request) })));
      },
    ],
    ['no JSON', /not JSON/, (_request, socket) => socket.write(answerOf('}{'))],
    ['JSON that is no object', /./, (_request, socket) => socket.write(answerOf('null'))],
    ['bytes that are not HTTP', /no health/, (_request, socket) => socket.write('\x00\xff hello\r\n\r\n')],
    [
      'a head without end',
      /more than/,
      (_request, socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'),
    ],
    [
      'a body without end',
      /more than/,
      (_request, socket) => {
        flood(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n', '          ');
      },
    ],
    [
      'more than its length',
      /more than it was asked/,
      (request, socket) => {
        socket.write(`${answerOf(proved(request))}HTTP/1.1 200 OK\r\n`);
      },
    ],
    [
      'a length that is none',
      /no health/,
      (_request, socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n');
      },
    ],
    ['no length', /no health/, (_request, socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n')],
    [
      'chunks',
      /no health/,
      (request, socket) => {
        const body = proved(request);
        const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
        socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
      },
    ],
    [
      'chunks and a length',
      /no health/,
      (request, socket) => {
        socket.write(answerOf(proved(request), 'Transfer-Encoding: chunked\r\n'));
      },
    ],
    [
      'a failure',
      /no health/,
      (request, socket) => {
        socket.write(answerOf(proved(request)).replace('200 OK', '500 Internal Server Error'));
      },
    ],
    [
      'another to go to',
      /no health/,
      (_request, socket) => {
        socket.write('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n');
      },
    ],
  ])('is found out and gets nothing: %s', async (_what, words, answer) => {
    const { port, received, closed } = await impostorThat(answer);
    const failure = await openProven(HOST, port, TOKEN).catch((error) => error);

    expect(failure).toBeInstanceOf(AgentMisbehaved);
    expect(failure.message).toMatch(words);
    await vi.waitFor(() => expect(closed).toEqual([true]));
    expect(received).toEqual([
      expect.stringMatching(/^GET \/health\?nonce=[0-9a-f]{32} HTTP\/1\.1\r\nhost: agent\r\n\r\n$/),
    ]);
  });

  it('that is silent is waited for a second', async () => {
    const { port, received, closed } = await impostorThat(() => {});
    const began = performance.now();
    await expect(openProven(HOST, port, TOKEN)).rejects.toThrow(/no health within 1000 ms/);

    expect(performance.now() - began).toBeLessThan(2000);
    await vi.waitFor(() => expect(closed).toEqual([true]));
    expect(received).toHaveLength(1);
  });

  it('that sends a byte now and then is not waited for longer', async () => {
    const { port } = await impostorThat((_request, socket) => {
      const timer = setInterval(() => socket.write('H'), 50);
      socket.on('close', () => clearInterval(timer));
    });
    const began = performance.now();
    await expect(openProven(HOST, port, TOKEN)).rejects.toThrow();

    expect(performance.now() - began).toBeLessThan(2000);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['ends it', (socket) => socket.end()],
    ['cuts it', (socket) => socket.resetAndDestroy()],
    ['ends it in the middle', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')],
  ])('that takes the connection and %s is not waited for', async (_what, act) => {
    const { port } = await impostorThat((_request, socket) => act(socket));
    const began = performance.now();
    await expect(openProven(HOST, port, TOKEN)).rejects.toThrow();

    expect(performance.now() - began).toBeLessThan(900);
  });

  it('that nobody has is told as such', async () => {
    const { port, server } = await agentWith(TOKEN);
    server.close();
    await once(server, 'close');
    await expect(openProven(HOST, port, TOKEN)).rejects.toThrow(/ECONNREFUSED/);
  });
});

/** Writes without end, as long as it is read. */
function flood(socket: Socket, head: string, more: string): void {
  socket.write(head);
  const chunk = more.repeat(200);
  const write = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}
