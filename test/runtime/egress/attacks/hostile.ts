import { type Attack, type Expected, get, type HostileAnswer } from './attack.ts';

const FAILED: Expected = { status: 502, passed: 'upstream_failed' };
const row = (name: string, answer: HostileAnswer, expect: Expected = FAILED): Attack => ({
  name,
  send: get('127.0.0.2:HOSTILE'),
  answer,
  expect,
});
const OK = 'HTTP/1.1 200 OK\r\n';

/** Upstreams are on the list, and may be anything all the same. */
export const HOSTILE: readonly Attack[] = [
  row('answers garbage', { bytes: 'garbage\r\n\r\n' }),
  row('answers TLS', { bytes: '\x15\x03\x03\x00\x02\x02\x46' }),
  row('closes without an answer', { bytes: '', next: 'close' }),
  row('closes in its head', { bytes: `${OK}Content-Le`, next: 'close' }),
  row('never answers', { bytes: '' }, { status: 504, passed: 'timed_out' }),
  row('sends half a head', { bytes: `${OK}X: ` }, { status: 504, passed: 'timed_out' }),
  row('sends two lengths', { bytes: `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab` }),
  row('sends a length and chunks', {
    bytes: `${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  }),
  row('sends a length that is none', { bytes: `${OK}Content-Length: -1\r\n\r\nab` }),
  row('sends a bare line feed', { bytes: 'HTTP/1.1 200 OK\nContent-Length: 0\n\n' }),
  row('sends a folded header', { bytes: `${OK}X: a\r\n b\r\nContent-Length: 0\r\n\r\n` }),
  row('sends a NUL in a header', { bytes: `${OK}X: a\0b\r\nContent-Length: 0\r\n\r\n` }),
  row('sends an odd status', { bytes: 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n' }),
  row('sends HTTP/1.9', { bytes: 'HTTP/1.9 200 OK\r\nContent-Length: 0\r\n\r\n' }),
  row('sends a huge header', { bytes: `${OK}X: ${'a'.repeat(100_000)}\r\n\r\n` }),
  row('switches protocols', {
    bytes: 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nbytes',
  }),
  row('switches protocols without a header', { bytes: 'HTTP/1.1 101 Switching Protocols\r\n\r\nbytes' }),
  row('sends headers for ever', { bytes: 'HTTP/1.1 200 OK\r\nX: '.padEnd(900, 'a'), next: 'repeat' }),
  row(
    'sends 100 for ever',
    { bytes: 'HTTP/1.1 100 Continue\r\n\r\n', next: 'repeat' },
    { status: 504, passed: 'timed_out' },
  ),
  row(
    'sends hints for ever',
    { bytes: 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n', next: 'repeat' },
    { status: 504, passed: 'timed_out' },
  ),
  row(
    'closes in its body',
    { bytes: `${OK}Content-Length: 9\r\n\r\nab`, next: 'close' },
    { status: 200, passed: 'upstream_failed', closes: true },
  ),
  row(
    'closes in its chunks',
    { bytes: `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nab`, next: 'close' },
    { status: 200, passed: 'upstream_failed', closes: true },
  ),
  row(
    'sends bad chunks',
    { bytes: `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n` },
    { status: 200, passed: 'upstream_failed', closes: true },
  ),
  row(
    'stands still in its body',
    { bytes: `${OK}Content-Length: 9\r\n\r\nab` },
    { status: 200, passed: 'timed_out', closes: true },
  ),
  row(
    'sends a body for ever',
    { bytes: 'HTTP/1.0 200 OK\r\n\r\n', next: 'repeat' },
    { status: 200, passed: 'timed_out', closes: true },
  ),
  row(
    'redirects to a file',
    { bytes: 'HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n' },
    { status: 302, passed: 'forwarded', answer: 'file:///etc/passwd' },
  ),
  row(
    "takes its body's length back",
    { bytes: `${OK}Connection: content-length, close\r\nContent-Length: 2\r\n\r\nab` },
    { status: 200, passed: 'forwarded', answer: '\r\n\r\nab' },
  ),
  row(
    'asks for a credential of the proxy',
    { bytes: 'HTTP/1.1 407 Ask\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n' },
    { status: 407, passed: 'forwarded' },
  ),
];
