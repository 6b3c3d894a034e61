import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CuttableRelay } from './cuttable-relay.ts';

describe.each(['a port', 'a socket file'])('a relay before %s', (kind) => {
  let folder: string;
  let echo: Server;
  let relay: CuttableRelay;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-relay-'));
    echo = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => {}).pipe(socket));
    const path = join(folder, 'echo.sock');
    echo.listen(kind === 'a port' ? { port: 0, host: '127.0.0.1' } : { path });
    await once(echo, 'listening');
    relay = await CuttableRelay.open(targetOf(echo));
  });

  afterEach(async () => {
    await relay[Symbol.asyncDispose]();
    echo.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const dial = () => new Client(connect(relay.port, '127.0.0.1'));

  it('passes bytes both ways, and the end of them', async () => {
    const client = dial();
    client.socket.end('hello');

    await once(client.socket, 'close');
    expect(client.heard).toBe('hello');
    expect(relay.connections).toBe(0);
  });

  it('breaks connections when cut, and new ones until restored', async () => {
    const client = dial();
    await client.say('hello');

    relay.cut();
    await client.broken;
    await dial().broken;

    relay.restore();
    await dial().say('again');
  });

  it('is cut once clients have sent as much as was said', async () => {
    const client = dial();
    await client.say('hello');

    relay.cutAfter(6);
    await client.say('one');
    expect(relay.isCut).toBe(false);
    client.socket.write('two');
    await client.broken;
    expect(relay.isCut).toBe(true);

    relay.restore();
    await dial().say('more than that');
  });

  it('holds bytes back when frozen, on new connections too, and passes them once restored', async () => {
    const before = dial();
    await before.say('one ');

    relay.freeze();
    before.socket.write('two');
    const during = dial();
    during.socket.write('three');
    await vi.waitFor(() => expect(relay.connections).toBe(2));
    expect([before.heard, during.heard]).toEqual(['one ', '']);

    relay.restore();
    relay.restore();
    await before.hears('one two');
    await during.hears('three');
  });
});

class Client {
  readonly socket: Socket;
  readonly broken: Promise<void>;
  heard = '';

  constructor(socket: Socket) {
    this.socket = socket;
    this.broken = new Promise((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      this.heard += bytes.toString();
    });
  }

  async say(text: string): Promise<void> {
    const expected = this.heard + text;
    this.socket.write(text);
    await this.hears(expected);
  }

  async hears(text: string): Promise<void> {
    await vi.waitFor(() => expect(this.heard).toBe(text), { interval: 5 });
  }
}

function targetOf(server: Server): NetConnectOpts {
  const address = server.address();
  if (address === null) throw new Error('The server does not listen.');
  return typeof address === 'string' ? { path: address } : { host: '127.0.0.1', port: address.port };
}
