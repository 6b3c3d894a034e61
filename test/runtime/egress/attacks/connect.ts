import { clientHello, records } from '../proxy/client-hello-bytes.ts';
import { type Attack, connectTo, type Expected, MALFORMED, NOT_ALLOWED } from './attack.ts';

const row = (name: string, authority: string, expect: Expected): Attack => ({
  name,
  send: connectTo(authority),
  expect: { ...expect, closes: true },
});

const hello = (...names: string[]): string => records(clientHello({ names })).toString('latin1');
const WRONG_SNI: Expected = { status: 200, refused: 'wrong_sni', closes: true };
/** The tunnel is made, and what is sent in it is not what belongs there. */
const sent = (name: string, ...pieces: string[]): Attack => ({
  name,
  send: [connectTo('tls.test:443'), ...pieces],
  expect: WRONG_SNI,
});

const HELLO = hello('tls.test');

/** Tunnels: where they may go, and what must come first on port 443. */
export const CONNECT: readonly Attack[] = [
  row('mail', 'mail.test:25', NOT_ALLOWED),
  row('a shell', 'up.test:22', NOT_ALLOWED),
  row('the engine', '127.0.0.1:2375', NOT_ALLOWED),
  row('port 0', 'up.test:0', MALFORMED),
  row('port 65536', 'up.test:65536', MALFORMED),
  row('a port that wraps around', 'up.test:4294967739', MALFORMED),
  row('a port with a sign', 'tls.test:+443', MALFORMED),
  row('a port below none', 'tls.test:-443', MALFORMED),
  row('a port by its name', 'tls.test:https', MALFORMED),
  row('no port', 'tls.test', MALFORMED),
  row('a path', 'tls.test:443/', MALFORMED),
  row('a query', 'tls.test:443?', MALFORMED),
  row('a URL', 'http://tls.test:443/', MALFORMED),
  row('a user', 'tls.test@127.0.0.3:443', MALFORMED),
  row('a user with a port', 'tls.test:443@127.0.0.3:PORT', MALFORMED),
  row('two hosts', 'tls.test:443,127.0.0.3:PORT', MALFORMED),
  row("a path of the proxy's own", '/mcp/tools', MALFORMED),
  row('a socket', 'unix:/var/run/docker.sock', MALFORMED),
  row('IPv6 loopback', '[::1]:PORT', NOT_ALLOWED),
  row('IPv6 loopback without brackets', '::1:PORT', MALFORMED),
  row('IPv6 with a zone', '[fe80::1%lo]:PORT', MALFORMED),
  row('a mapped address', '[::ffff:127.0.0.3]:PORT', NOT_ALLOWED),
  row('a private address', '[OWN]:443', NOT_ALLOWED),
  row('an integer', '2130706435:PORT', MALFORMED),
  {
    name: 'with a body',
    send: `${connectTo('up.test:PORT', 'Content-Length: 5\r\n')}hello`,
    expect: { ...MALFORMED, closes: true },
  },
  {
    name: 'in chunks',
    send: `${connectTo('up.test:PORT', 'Transfer-Encoding: chunked\r\n')}0\r\n\r\n`,
    expect: { ...MALFORMED, closes: true },
  },
  {
    name: 'another Host',
    send: 'CONNECT 127.0.0.3:PORT HTTP/1.1\r\nHost: up.test:PORT\r\n\r\n',
    expect: { ...NOT_ALLOWED, closes: true },
  },
  {
    name: 'two Hosts',
    send: connectTo('up.test:PORT', 'Host: 127.0.0.3\r\n'),
    expect: { ...MALFORMED, closes: true },
  },
  sent('a handshake for another host', hello('evil.test')),
  sent('a handshake for a host below', hello('a.tls.test')),
  sent('a handshake with a dot behind the name', hello('tls.test.')),
  sent('a handshake with a NUL in the name', hello('tls.test\0.evil.test')),
  sent('a handshake with two names', hello('tls.test', 'evil.test')),
  sent(
    'a handshake with the name twice',
    records(clientHello({ names: ['tls.test'], again: true })).toString('latin1'),
  ),
  sent('a handshake without a name', hello()),
  sent('a handshake without extensions', records(clientHello({})).toString('latin1')),
  sent('another name split over segments', ...splitBytes(hello('evil.test'), 100)),
  sent(
    'another name split over records',
    records(clientHello({ names: ['evil.test'] }), 40).toString('latin1'),
  ),
  sent('a handshake that never ends', HELLO.slice(0, 60)),
  sent('silence'),
  sent('plain HTTP', 'GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n'),
  sent('SSH', 'SSH-2.0-OpenSSH_9.9\r\n'),
  sent('an alert', '\x15\x03\x01\x00\x02\x02\x28'),
  sent('a handshake of SSL 2', '\x80\x2e\x01\x00\x02'),
  {
    name: 'an address, with a name in the handshake',
    send: [connectTo('TLS:443'), HELLO],
    expect: WRONG_SNI,
  },
  {
    name: 'the right name is let through',
    send: [connectTo('tls.test:443'), hello('Tls.Test')],
    expect: { status: 200, passed: 'forwarded', saw: ['Tls.Test'] },
  },
  {
    name: 'the right name in small segments and records is let through',
    send: [
      connectTo('tls.test:443'),
      ...splitBytes(records(clientHello({ names: ['tls.test'] }), 60).toString('latin1'), 90),
    ],
    expect: { status: 200, passed: 'forwarded', saw: ['st'] },
  },
  {
    name: 'a name sent ahead of the answer is looked at as well',
    send: connectTo('tls.test:443') + hello('evil.test'),
    expect: WRONG_SNI,
  },
];

function splitBytes(text: string, size: number): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
}
