import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { openTerminalLine } from '../../../runtime/agent-client/terminal-line.ts';
import { TerminalViewer } from '../../../runtime/http/terminals/terminal-viewer.ts';

const MiB = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'x');

/** A terminal that floods, at the socket level. */
async function flood(): Promise<{ socket: Socket; end: () => void }> {
  const source = createPlainServer((peer) => {
    peer.on('error', () => {});
    peer.write(Buffer.concat([Buffer.of(1, 0, 0, 0, 8), Buffer.alloc(8)]));
    const head = Buffer.alloc(5);
    head.writeUInt8(2);
    head.writeUInt32BE(PIECE.length, 1);
    const frame = Buffer.concat([head, PIECE]);
    const more = () => {
      while (!peer.destroyed && peer.write(frame));
    };
    peer.on('drain', more);
    more();
  });
  source.listen(0, '127.0.0.1');
  await once(source, 'listening');
  const socket = connect((source.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return {
    socket,
    end() {
      socket.destroy();
      source.close();
    },
  };
}

describe('a viewer of a terminal that floods', () => {
  let server: Server;
  let sockets: WebSocketServer;
  let end = () => {};

  beforeEach(async () => {
    server = createServer();
    sockets = new WebSocketServer({ server, perMessageDeflate: false });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    end();
    for (const client of sockets.clients) client.terminate();
    server.close();
  });

  it('and reads nothing is let go with 1013, with little held for it', { timeout: 60_000 }, async () => {
    const source = await flood();
    ({ end } = source);
    const line = await openTerminalLine(source.socket, Buffer.alloc(0), 0, AbortSignal.timeout(55_000));
    const shown = new Promise<number>((resolve, reject) => {
      sockets.once('connection', (socket, request) => {
        const viewer = new TerminalViewer(socket, request.socket, line, () => {});
        let most = 0;
        const send = socket.send.bind(socket) as (data: unknown) => void;
        Object.assign(socket, {
          send(data: unknown) {
            send(data);
            most = Math.max(most, socket.bufferedAmount);
          },
        });
        // Its end waits for the client, which reads on only when it is told to.
        socket.once('close', () => resolve(most));
        viewer.show(AbortSignal.timeout(55_000)).catch(reject);
        const deaf = setInterval(() => {
          if (socket.readyState !== socket.CLOSING) return;
          clearInterval(deaf);
          client.resume();
        }, 20);
      });
    });
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await once(client, 'open');
    client.pause();
    const [code] = await once(client, 'close');
    expect(code).toBe(1013);
    expect(await shown).toBeLessThan(MiB);
  });
});
