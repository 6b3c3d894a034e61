import { type Attack, connectTo } from './attack.ts';

const LATE = { status: 408, refused: 'malformed', closes: true } as const;
const HEAD = 'POST http://up.test:PORT/ HTTP/1.1\r\nHost: a\r\n';

/** Who takes a place and does not use it loses it. */
export const SLOW: readonly Attack[] = [
  { name: 'nothing', send: '', expect: LATE },
  { name: 'half a line', send: 'GET http://up.te', expect: LATE },
  { name: 'half a head', send: `${HEAD}X: `, expect: LATE },
  { name: 'half of a tunnel', send: 'CONNECT up.test:PORT HTTP/1.1\r\n', expect: LATE },
  { name: 'a head, byte by byte', send: [...`${HEAD}X-Slow: slow, slow, slow`], expect: LATE },
  {
    name: 'a header at a time',
    send: [HEAD, ...Array.from({ length: 60 }, (_, index) => `X-${index}: slow\r\n`)],
    expect: LATE,
  },
  {
    name: 'half a body',
    send: `${HEAD}Content-Length: 9\r\n\r\nabc`,
    expect: { status: 504, passed: 'timed_out', closes: true },
  },
  {
    name: 'half a chunk',
    send: `${HEAD}Transfer-Encoding: chunked\r\n\r\n9\r\nabc`,
    expect: { status: 504, passed: 'timed_out', closes: true },
  },
  {
    name: 'a body, byte by byte, for longer than a request may take',
    send: [`${HEAD}Content-Length: 500\r\n\r\n`, ...'a'.repeat(120)],
    expect: { status: 504, passed: 'timed_out', closes: true },
  },
  {
    name: 'half a body that is to be signed',
    send: 'POST /model/m/invoke HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{',
    expect: { status: 504, passed: 'timed_out', closes: true, never: ['model'] },
  },
  {
    name: 'half a handshake',
    send: [connectTo('tls.test:443'), '\x16\x03\x01'],
    expect: { status: 200, refused: 'wrong_sni', closes: true },
  },
];
