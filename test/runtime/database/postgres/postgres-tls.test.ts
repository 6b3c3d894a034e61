import { X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { postgresTls } from '../../../../runtime/database/postgres/postgres-tls.ts';
import { certificateFor, trust } from '../../egress/proxy/certificate.ts';

/** With those of `NODE_EXTRA_CA_CERTS`. */
const trusted = getCACertificates('default');

describe('how a connection to Postgres is made safe', () => {
  it.each(['', '?sslmode=disable'])('not at all where nobody asks for it (%s)', async (query) => {
    const url = 'postgres://berth:secret@db.example.com:5432/berth';
    expect(await postgresTls(url + query)).toEqual({ url, ssl: false });
  });

  it.each(['require', 'verify-ca', 'verify-full', 'prefer', 'anything'])(
    'verified with sslmode=%s, which is the least that is asked for',
    async (mode) => {
      const { url, ssl } = await postgresTls(`postgres://db.example.com/berth?sslmode=${mode}&options=x`);
      expect(url).toBe('postgres://db.example.com/berth?options=x');
      expect(ssl).toEqual({ rejectUnauthorized: true, ca: trusted });
    },
  );

  it('not verified where just that is said', async () => {
    expect((await postgresTls('postgres://db/berth?sslmode=no-verify')).ssl).toMatchObject({
      rejectUnauthorized: false,
    });
  });

  it.each(['a.b.us-east-1.rds.amazonaws.com', 'a.b.cn-north-1.rds.amazonaws.com.cn'])(
    'trusts Amazon’s own authorities at %s',
    async (host) => {
      const { ssl } = await postgresTls(`postgres://${host}/berth?sslmode=verify-full`);
      const added = ssl === false ? [] : ssl.ca.filter((each) => !trusted.includes(each));
      const issuers = added.map((pem) => new X509Certificate(pem).subject);
      expect(
        issuers.filter((subject) => /Amazon RDS us-east-1 Root CA RSA2048 G1/.test(subject)),
      ).toHaveLength(1);
    },
  );

  it('trusts them nowhere else', async () => {
    const { ssl } = await postgresTls('postgres://rds.amazonaws.com.example.com/berth?sslmode=verify-full');
    expect(ssl).toMatchObject({ ca: trusted });
  });

  it('trusts the authorities that the operator names for Node', async () => {
    const { cert } = certificateFor('db.example.com');
    trust(cert);
    const { ssl } = await postgresTls('postgres://db.example.com/berth?sslmode=verify-full');
    expect(ssl).toMatchObject({ ca: expect.arrayContaining([expect.stringContaining(cert.trim())]) });
  });
});
