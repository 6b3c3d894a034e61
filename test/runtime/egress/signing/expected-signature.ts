import { createHash, createHmac } from 'node:crypto';

/** A request as a server of AWS gets it. */
export interface ReceivedRequest {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Buffer | string;
}

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The signature that the specification of SigV4 asks for, written down from it without a look at the signer. */
export function expectedSignature(
  { method, path, headers, body }: ReceivedRequest,
  signedHeaders: readonly string[],
  scope: string,
  secret: string,
): string {
  const encode = (segment: string): string =>
    encodeURIComponent(segment).replaceAll(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const canonicalHeaders = signedHeaders.map(
    (name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}\n`,
  );
  const canonical = [
    method,
    path.split('/').map(encode).join('/'),
    '',
    canonicalHeaders.join(''),
    signedHeaders.join(';'),
    headers['x-amz-content-sha256'] ?? sha256(body),
  ].join('\n');
  const [date = '', region = '', service = ''] = scope.split('/');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), service), 'aws4_request');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  return hmac(key, toSign).toString('hex');
}

/** What an `Authorization` header of SigV4 says. */
export function parseAuthorization(value: string): {
  key: string;
  scope: string;
  signed: string[];
  signature: string;
} {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, key = '', scope = '', signed = '', signature = ''] = form.exec(value) ?? [];
  return { key, scope, signed: signed.split(';'), signature };
}
