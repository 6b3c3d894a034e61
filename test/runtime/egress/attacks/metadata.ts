import { type Attack, connectTo, type Expected, get, MALFORMED, NOT_ALLOWED, PRIVATE } from './attack.ts';

const row = (name: string, host: string, expect: Expected): Attack => ({ name, send: get(host), expect });
/** Of a name that is on the list, without `internal:`. */
const named = (name: string, ...addresses: string[]): Attack => {
  const host = `${name.replaceAll(' ', '-').toLowerCase()}.dns.test`;
  const asked = [`A ${host}`, `AAAA ${host}`];
  return { name, send: get(host), dns: { [host]: [{ addresses }] }, expect: { ...PRIVATE, asked } };
};

/** Clouds give their machines' credentials away at these addresses. */
export const METADATA: readonly Attack[] = [
  row('listed, but not as internal', '169.254.169.254', { ...PRIVATE, asked: [] }),
  row('mapped, and so the same', '[::ffff:169.254.169.254]', { ...PRIVATE, asked: [] }),
  row('mapped in hexadecimal, and so the same', '[::ffff:a9fe:a9fe]', { ...PRIVATE, asked: [] }),
  row('that of IPv6, listed', '[fd00:ec2::254]', { ...PRIVATE, asked: [] }),
  row('that of IPv6, written out', '[FD00:0EC2:0:0:0:0:0:0254]', { ...PRIVATE, asked: [] }),
  row('at its usual port', '169.254.169.254:80', NOT_ALLOWED),
  row('as an integer', '2852039166', MALFORMED),
  row('as an integer past 32 bits', '7147006462', MALFORMED),
  row('in hexadecimal', '0xa9fea9fe', MALFORMED),
  row('in dotted hexadecimal', '0xa9.0xfe.0xa9.0xfe', MALFORMED),
  row('in octal', '0251.0376.0251.0376', MALFORMED),
  row('in three parts', '169.254.43518', MALFORMED),
  row('in two parts', '169.16689662', MALFORMED),
  row('partly octal', '169.0376.169.254', MALFORMED),
  row('compatible', '[::a9fe:a9fe]', NOT_ALLOWED),
  row('behind NAT64', '[64:ff9b::a9fe:a9fe]', NOT_ALLOWED),
  row('behind NAT64 of a network', '[64:ff9b:1::a9fe:a9fe]', NOT_ALLOWED),
  row('behind 6to4', '[2002:a9fe:a9fe::]', NOT_ALLOWED),
  row('that of tasks', '169.254.170.2', NOT_ALLOWED),
  row('that of tasks, mapped', '[::ffff:169.254.170.2]', NOT_ALLOWED),
  row('that of tasks as an integer', '2852039170', MALFORMED),
  row('that of pods', '169.254.170.23', NOT_ALLOWED),
  row('by its name at Google', 'metadata.google.internal', NOT_ALLOWED),
  row('by a name that has it in it', '169.254.169.254.nip.io', NOT_ALLOWED),
  { name: 'in a tunnel', send: connectTo('169.254.169.254:PORT'), expect: { ...PRIVATE, asked: [] } },
  {
    name: 'in a tunnel, mapped',
    send: connectTo('[::ffff:a9fe:a9fe]:PORT'),
    expect: { ...PRIVATE, asked: [] },
  },
  { name: 'in a tunnel, in octal', send: connectTo('0251.0376.0251.0376:PORT'), expect: MALFORMED },
  named('a name for it', '169.254.169.254'),
  named('a name for that of tasks', '169.254.170.2'),
  named('a name for that of IPv6', 'fd00:ec2::254'),
  named('a name for it mapped', '::ffff:169.254.169.254'),
  named('a name for it behind NAT64', '64:ff9b::a9fe:a9fe'),
  named('a name for it behind 6to4', '2002:a9fe:a9fe::1'),
  named('a name for it behind Teredo', '2001:0:1::5601:5601'),
  named('a name for that of Azure', '168.63.129.16'),
  named('a name for that of Alibaba', '100.100.100.200'),
  {
    name: 'a redirect there is given back, and not followed',
    send: 'GET http://up.test:PORT/redirect HTTP/1.1\r\nHost: up.test\r\n\r\n',
    expect: {
      status: 302,
      passed: 'forwarded',
      answer: 'http://169.254.169.254/latest/meta-data/',
      saw: ['GET /redirect '],
    },
  },
  {
    name: 'a redirect of an MCP server there is given back, and not followed',
    send: 'GET /mcp/tools/redirect HTTP/1.1\r\nHost: a\r\n\r\n',
    expect: {
      status: 302,
      passed: 'forwarded',
      answer: 'http://169.254.169.254/latest/meta-data/',
      saw: ['GET /base/v1/redirect '],
    },
  },
];
