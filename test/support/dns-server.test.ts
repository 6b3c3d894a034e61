import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DnsServer } from './dns-server.ts';

describe('a DNS server of a test', () => {
  let dns: DnsServer;
  beforeAll(async () => {
    dns = await DnsServer.start();
  });
  afterAll(() => dns[Symbol.asyncDispose]());

  it('gives the addresses of both kinds, and says what it was asked', async () => {
    dns.set('both.test', { addresses: ['10.0.0.1', '2001:db8::5', '::ffff:1.2.3.4'] });
    expect(await dns.lookup()('both.test')).toEqual(['10.0.0.1', '2001:db8::5', '::ffff:1.2.3.4']);
    expect(dns.asked.toSorted()).toEqual(['A both.test', 'AAAA both.test']);
  });

  it('says something else the next time, and the last for good', async () => {
    dns.set('flip.test', { addresses: ['10.0.0.1'] }, { addresses: ['10.0.0.2'] });
    const lookup = dns.lookup();
    const answers = [await lookup('flip.test'), await lookup('flip.test'), await lookup('flip.test')];
    expect(answers).toEqual([['10.0.0.1'], ['10.0.0.2'], ['10.0.0.2']]);
  });

  it('leads through an alias', async () => {
    dns.set('alias.test', { alias: 'inner.test', addresses: ['10.0.0.9'] });
    expect(await dns.lookup()('alias.test')).toEqual(['10.0.0.9']);
  });

  it.each([
    ['a name that is not there', { failure: 'NXDOMAIN' }, 'ENOTFOUND'],
    ['a server that fails', { failure: 'SERVFAIL' }, 'ESERVFAIL'],
    ['a server that does not want to', { failure: 'REFUSED' }, 'EREFUSED'],
    ['a name without an address', { addresses: [] }, 'ENODATA'],
    ['no answer', 'silence', 'ETIMEOUT'],
    ['an answer that is none', 'garbage', 'EBADRESP'],
    ['an answer that is cut short', 'truncated', 'ECONNREFUSED'],
  ] as const)('fails as servers do: %s', async (name, answer, code) => {
    const host = `${name.replaceAll(' ', '-')}.test`;
    dns.set(host, answer);
    await expect(dns.lookup(100)(host)).rejects.toMatchObject({ code });
  });
});
