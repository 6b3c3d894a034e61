import { type Attack, type Expected, MALFORMED } from './attack.ts';

const REFUSED: Expected = { ...MALFORMED, closes: true, never: ['smuggled'] };
/** The head has gone out by then: the upstream must not take the body for whole. */
const CUT: Expected = {
  status: 400,
  refused: 'malformed',
  // Its head was.
  passed: 'forwarded',
  closes: true,
  partial: true,
  never: ['smuggled', '\r\n0\r\n\r\n'],
};
const SMUGGLED = 'GET http://127.0.0.2:PORT/smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

/** A request with these headers and this body, and another behind it. */
const row = (name: string, rest: string, expect: Expected = REFUSED): Attack => ({
  name,
  send: `POST http://127.0.0.2:PORT/ HTTP/1.1\r\nHost: a\r\n${rest}${SMUGGLED}`,
  expect,
});
const head = (name: string, bytes: string): Attack => ({ name, send: bytes + SMUGGLED, expect: REFUSED });
const BODY = 'GET http://127.0.0.3/hidden HTTP/1.1\r\nHost: 127.0.0.3\r\n\r\n';

/** What two parsers may read in two ways is read in none. */
export const FRAMING: readonly Attack[] = [
  row('two lengths that agree', 'Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc'),
  row('two lengths that do not', 'Content-Length: 3\r\nContent-Length: 60\r\n\r\nabc'),
  row('a list of lengths', 'Content-Length: 3, 3\r\n\r\nabc'),
  row('a length with a sign', 'Content-Length: +3\r\n\r\nabc'),
  row('a negative length', 'Content-Length: -3\r\n\r\nabc'),
  row('a length in hexadecimal', 'Content-Length: 0x3\r\n\r\nabc'),
  row('a length that overflows', 'Content-Length: 18446744073709551619\r\n\r\nabc'),
  row('an empty length', 'Content-Length:\r\n\r\nabc'),
  row('a length and chunks', `Content-Length: 3\r\n${CHUNKED}\r\n0\r\n\r\n`),
  row('chunks and a length', `${CHUNKED}Content-Length: 3\r\n\r\n0\r\n\r\n`),
  row('chunked twice', `${CHUNKED}${CHUNKED}\r\n0\r\n\r\n`),
  row('chunked twice in one', 'Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n'),
  row('chunked and identity', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'),
  row('identity and chunked', 'Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n'),
  row('gzip and chunked', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'),
  row('identity', 'Transfer-Encoding: identity\r\n\r\n'),
  row('an encoding that is none', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'),
  row('an empty encoding', 'Transfer-Encoding:\r\n\r\n0\r\n\r\n'),
  row('a quoted encoding', 'Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n'),
  row('an encoding with a vertical tab', 'Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n'),
  row('a blank before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'),
  row('a tab before the colon', 'Content-Length\t: 3\r\n\r\nabc'),
  row('a blank before a name', ' Content-Length: 3\r\n\r\nabc'),
  row('a header without a colon', 'Content-Length 3\r\n\r\nabc'),
  row('a header without a name', ': 3\r\n\r\n'),
  row('a folded header', 'X: a\r\n b\r\n\r\n'),
  row('a folded encoding', 'Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n'),
  row('a header hidden by folding', `X: a\r\n\t${CHUNKED}\r\n0\r\n\r\n`),
  row('a bare line feed', 'X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
  row('a bare carriage return', 'X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
  row('a head ended by line feeds', 'X: a\n\n'),
  row('a NUL in a value', 'X: a\0b\r\n\r\n'),
  row('a NUL in a name', 'X\0Y: a\r\n\r\n'),
  row('two Hosts', 'Host: 127.0.0.3:PORT\r\n\r\n'),
  row('a huge header', `X: ${'a'.repeat(17_000)}\r\n\r\n`),
  row('a thousand headers', `${'X: a\r\n'.repeat(1000)}\r\n`),
  row('a chunk of no size', `${CHUNKED}\r\n\r\nabc\r\n0\r\n\r\n`, CUT),
  row('a chunk of a size that is none', `${CHUNKED}\r\nzz\r\nabc\r\n0\r\n\r\n`, CUT),
  row('a chunk of a negative size', `${CHUNKED}\r\n-3\r\nabc\r\n0\r\n\r\n`, CUT),
  row('a chunk of a size with 0x', `${CHUNKED}\r\n0x3\r\nabc\r\n0\r\n\r\n`, CUT),
  row('a chunk of a size with a blank', `${CHUNKED}\r\n3 \r\nabc\r\n0\r\n\r\n`, CUT),
  row('a chunk of a size that overflows', `${CHUNKED}\r\n10000000000000003\r\nabc\r\n0\r\n\r\n`, CUT),
  row('a chunk longer than its size', `${CHUNKED}\r\n1\r\nabc\r\n0\r\n\r\n`, CUT),
  row('a size ended by a line feed', `${CHUNKED}\r\n3\nabc\r\n0\r\n\r\n`, CUT),
  row('a chunk ended by a line feed', `${CHUNKED}\r\n3\r\nabc\n0\r\n\r\n`, CUT),
  row('an extension with a line feed', `${CHUNKED}\r\n3;a\nb\r\nabc\r\n0\r\n\r\n`, CUT),
  head('HTTP/0.9', 'GET http://127.0.0.2:PORT/\r\n\r\n'),
  head('HTTP/1.2', 'GET http://127.0.0.2:PORT/ HTTP/1.2\r\nHost: a\r\n\r\n'),
  head('HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  head('HTTP/1.0 in chunks', `POST http://127.0.0.2:PORT/ HTTP/1.0\r\n${CHUNKED}\r\n0\r\n\r\n`),
  head('no Host', 'GET http://127.0.0.2:PORT/ HTTP/1.1\r\n\r\n'),
  {
    name: 'two blanks, which are one when it goes on',
    send: 'GET  http://127.0.0.2:PORT/ HTTP/1.1\r\nHost: a\r\n\r\n',
    expect: { status: 200, passed: 'forwarded', saw: ['GET / HTTP/1.1\r\n'] },
  },
  head('a method in lower case', 'get http://127.0.0.2:PORT/ HTTP/1.1\r\nHost: a\r\n\r\n'),
  head('a TLS handshake', '\x16\x03\x01\x00\x05hello'),
  {
    name: 'a request hidden in a body stays in it',
    send: `POST http://127.0.0.2:PORT/outer HTTP/1.1\r\nHost: a\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    expect: {
      status: 200,
      passed: 'forwarded',
      saw: [`Content-Length: ${BODY.length}\r\nConnection: keep-alive\r\n\r\n${BODY}`],
    },
  },
  {
    name: 'a request hidden in a chunk stays in it',
    send: `POST http://127.0.0.2:PORT/outer HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
    expect: {
      status: 200,
      passed: 'forwarded',
      saw: [`${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`],
    },
  },
  {
    name: 'a trailer does not become a header',
    send: `POST http://127.0.0.2:PORT/ HTTP/1.1\r\nHost: a\r\n${CHUNKED}Trailer: Host\r\n\r\n3\r\nabc\r\n0\r\nHost: evil.test\r\nX-Evil: 1\r\n\r\n`,
    expect: {
      status: 200,
      passed: 'forwarded',
      saw: ['Host: 127.0.0.2:PORT\r\n'],
      never: ['evil', 'trailer'],
    },
  },
  {
    name: 'an extension of a chunk ends here',
    send: `POST http://127.0.0.2:PORT/ HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n3;evil="x"\r\nabc\r\n0\r\n\r\n`,
    expect: { status: 200, passed: 'forwarded', saw: ['\r\n3\r\nabc\r\n'], never: ['evil'] },
  },
];
