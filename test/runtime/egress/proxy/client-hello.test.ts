import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readClientHello } from '../../../../runtime/egress/proxy/client-hello.ts';
import { clientHello, records } from './client-hello-bytes.ts';
import { listen } from './proxy-fixture.ts';

describe('a ClientHello', () => {
  it('of a real client tells its server name', async () => {
    const server = createServer();
    const port = await listen(server);
    const first = once(server, 'connection').then(([socket]) => once(socket, 'data'));
    const client = connect({ port, host: '127.0.0.1', servername: 'Example.com' }).on('error', () => {});
    const [bytes] = await first;
    client.destroy();
    expect(readClientHello(bytes)).toEqual({ kind: 'hello', serverName: 'Example.com' });
  });

  it('tells its name however it is cut into records and segments, and asks for more before', () => {
    const hello = clientHello({ names: ['example.com'] });
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 400 }), fc.nat(), (size, at) => {
        const bytes = records(hello, size);
        const cut = at % bytes.length;
        expect(readClientHello(bytes.subarray(0, cut))).toEqual({ kind: 'more' });
        expect(readClientHello(bytes)).toEqual({ kind: 'hello', serverName: 'example.com' });
        // Early data may follow in records of their own.
        const more = Buffer.concat([bytes, Buffer.from([23, 3, 3, 0, 1, 0])]);
        expect(readClientHello(more)).toEqual({ kind: 'hello', serverName: 'example.com' });
      }),
    );
  });

  it('may have no name, and no extensions', () => {
    expect(readClientHello(records(clientHello({ names: [] })))).toEqual({ kind: 'hello' });
    expect(readClientHello(records(clientHello({})))).toEqual({ kind: 'hello' });
  });

  it.each([
    ['two names in one extension', records(clientHello({ names: ['a.test', 'b.test'] }))],
    ['two extensions with names', records(clientHello({ names: ['a.test'], again: true }))],
    ['an empty name', records(clientHello({ names: [''] }))],
    ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
    ['an alert', Buffer.from([21, 3, 3, 0, 2, 1, 0])],
    ['another version', Buffer.from([22, 2, 0, 0, 4, 1, 0, 0, 0])],
    ['a ServerHello', Buffer.from([22, 3, 3, 0, 4, 2, 0, 0, 0])],
    ['an empty record', Buffer.from([22, 3, 3, 0, 0])],
    ['an SSLv2 hello', Buffer.from([0x80, 0x2e, 1, 0, 2, 0])],
    [
      'something after it in its record',
      records(Buffer.concat([clientHello({ names: ['a.test'] }), Buffer.from('x')])),
    ],
    ['records of one byte', records(clientHello({ names: ['a.test'] }), 4)],
  ])('is none with %s', (_name, bytes) => expect(readClientHello(bytes).kind).toBe('none'));

  it('is never misread: any bytes give a verdict', () => {
    const hello = records(clientHello({ names: ['a.test'] }));
    fc.assert(
      fc.property(fc.nat(hello.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(hello);
        changed[at] = byte;
        const verdict = readClientHello(changed);
        if (verdict.kind === 'hello') expect(verdict.serverName?.length ?? 6).toBe(6);
      }),
    );
  });
});
