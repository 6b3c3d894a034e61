import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress, parseHost } from '../../../../runtime/egress/verdict/canonical-host.ts';
import { Refusal } from '../../../../runtime/egress/verdict/refusal.ts';
import { assertAllowed, resolveTarget } from '../../../../runtime/egress/verdict/resolve-target.ts';
import { isSpecialAddress } from '../../../../runtime/egress/verdict/special-address.ts';

const target = (text: string) => {
  const host = parseHost(text) ?? parseAddress(text);
  if (!host) throw new Error(`${text} is no host`);
  return { host, port: 443 };
};

const SPECIAL = [
  ['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.255.255.254', '168.63.129.16'],
  [
    '169.254.169.254',
    '169.254.170.2',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
  ],
  ['192.168.0.1', '198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9', '224.0.0.1', '240.0.0.1'],
  ['255.255.255.255', '::', '::1', '::127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', 'fe80::1', 'fec0::1'],
  [
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '64:ff9b::1.1.1.1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:2::1',
  ],
  ['2001:10::1', '2001:20::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '5f00::1', '::ffff:0:1.1.1.1'],
  ['fe80::1%eth0', '', 'example.com', '127.1'],
].flat();
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
  '::ffff:1.1.1.1',
];

describe('an address', () => {
  it.each(SPECIAL)('%j is special', (address) => expect(isSpecialAddress(address)).toBe(true));
  it.each(PUBLIC)('%s is public', (address) => expect(isSpecialAddress(address)).toBe(false));
});

describe('resolving', () => {
  it('is not begun for what the list does not let through', () => {
    expect(() => assertAllowed('no', target('example.com'))).toThrow(
      /^Domain not in whitelist\nexample.com, port 443/,
    );
  });

  it('refuses a name of which any address is special', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SPECIAL),
        fc.array(fc.constantFrom(...PUBLIC)),
        fc.nat(),
        async (special, others, at) => {
          const answers = others.toSpliced(at % (others.length + 1), 0, special);
          const refused = resolveTarget(target('a.test'), 'yes', async () => answers);
          await expect(refused).rejects.toMatchObject({ reason: 'private_address', status: 403 });
        },
      ),
    );
  });

  it('never lets an address through that is special, whatever the resolver says', async () => {
    const answer = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4Extended(),
      fc.string(),
      fc.constantFrom(...SPECIAL),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(answer), async (answers) => {
        const addresses = await resolveTarget(target('a.test'), 'yes', async () => answers).catch((error) => {
          expect(error).toBeInstanceOf(Refusal);
          return [];
        });
        expect(addresses.filter(isSpecialAddress)).toEqual([]);
      }),
    );
  });

  it('lets a private address through where the operator means it, and gives mapped ones as what they are', async () => {
    const lookup = async () => ['10.0.0.1', '::ffff:10.0.0.2'];
    expect(await resolveTarget(target('a.test'), 'internal', lookup)).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('asks once for a name and never for an address', async () => {
    const asked: string[] = [];
    const lookup = async (host: string) => {
      asked.push(host);
      return ['1.1.1.1'];
    };
    await resolveTarget(target('A.test.'), 'yes', lookup);
    await resolveTarget(target('8.8.8.8'), 'yes', lookup);
    await expect(resolveTarget(target('[::1]'), 'yes', lookup)).rejects.toMatchObject({
      reason: 'private_address',
    });
    expect(asked).toEqual(['a.test']);
  });

  it('says that a name has no address, also when the resolver fails', async () => {
    const failing = async () => Promise.reject(new Error('ENOTFOUND'));
    for (const lookup of [failing, async () => []]) {
      const refused = resolveTarget(target('a.test'), 'internal', lookup);
      await expect(refused).rejects.toMatchObject({ reason: 'unresolved', status: 502 });
    }
  });
});
