import type { SignatureV4 } from '@smithy/signature-v4';
import type { SigningRule } from '../../contracts/egress.ts';
import { hashBody, Sha256 } from './sha256.ts';

type Header = [name: string, value: string];

export interface UnsignedRequest {
  method: string;
  /** As the `Host` header will say it. */
  host: string;
  /** As it will be sent, without a query. */
  path: string;
  /** The client's that go on. */
  headers: readonly Header[];
  body: Buffer;
}

/** Signs with AWS Signature Version 4; gives all headers but `host`, which the proxy sets as it was signed. */
export async function signRequest(request: UnsignedRequest, rule: SigningRule, now: Date): Promise<Header[]> {
  const signed = request.headers.filter(([name]) => isSigned(name));
  const others = request.headers.filter(([name]) => !isSigned(name));
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of signed) {
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]},${value}` : value;
  }
  const signer = await signerFor(rule);
  const result = await signer.sign(
    {
      method: request.method,
      protocol: 'https:',
      hostname: request.host,
      path: request.path,
      query: {},
      headers: { ...headers, host: request.host, 'x-amz-content-sha256': await hashBody(request.body) },
    },
    { signingDate: now },
  );
  const { host: _, ...made } = result.headers;
  return [...others, ...Object.entries(made)];
}

/** What gives the call its meaning. The rest, which hops may touch, is sent beside the signature. */
const isSigned = (name: string): boolean => /^(?:content-type$|x-amzn-bedrock-)/i.test(name);

/** Loaded with the first signature: most proxies make none. */
let loading: Promise<typeof import('@smithy/signature-v4')> | undefined;

async function signerFor({ service, region, credentials }: SigningRule): Promise<SignatureV4> {
  loading ??= import('@smithy/signature-v4');
  const library = await loading;
  return new library.SignatureV4({
    service,
    region,
    credentials: {
      accessKeyId: credentials.access_key_id,
      secretAccessKey: credentials.secret_access_key,
      sessionToken: credentials.session_token,
    },
    sha256: Sha256,
  });
}
