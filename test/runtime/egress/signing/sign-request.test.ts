import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signRequest } from '../../../../runtime/egress/signing/sign-request.ts';
import { signingRule } from '../routes/egress-state.ts';
import { expectedSignature, parseAuthorization } from './expected-signature.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const now = new Date('2015-08-30T12:36:00Z');

describe("the tests' own account of SigV4", () => {
  const host = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' };
  const form = { ...host, 'content-type': 'application/x-www-form-urlencoded' };
  it.each([
    ['get-vanilla', 'GET', host, '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', 'POST', host, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'post-x-www-form-urlencoded',
      'POST',
      form,
      'Param1=value1',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('agrees with the published case %s', (_, method, headers, body, signature) => {
    const request = { method, path: '/', headers, body };
    const signed = Object.keys(headers).sort();
    expect(expectedSignature(request, signed, '20150830/us-east-1/service/aws4_request', secret)).toBe(
      signature,
    );
  });
});

describe('signing a request', () => {
  const sign = async (path: string, headers: [string, string][], body: Buffer) => {
    const request = { method: 'POST', host: 'bedrock-runtime.us-east-1.amazonaws.com', path, headers, body };
    const made = await signRequest(request, signingRule(), now);
    const received = {
      ...Object.fromEntries(made.map(([name, value]) => [name.toLowerCase(), value])),
      host: request.host,
    };
    return { made, request: { method: 'POST', path, headers: received as Record<string, string>, body } };
  };

  it('makes the signature that the specification asks for, whatever the model, headers and body', async () => {
    const model = fc.stringMatching(/^[a-z0-9][A-Za-z0-9.:/_-]{0,40}$/).map(encodeURIComponent);
    const value = fc.stringMatching(/^[!-~](?:[ -~]{0,20}[!-~])?$/);
    await fc.assert(
      fc.asyncProperty(
        model,
        value,
        value,
        fc.uint8Array({ maxLength: 300 }),
        async (id, type, trace, bytes) => {
          const headers: [string, string][] = [
            ['Content-Type', type],
            ['X-Amzn-Bedrock-Trace', trace],
          ];
          const { request } = await sign(`/model/${id}/invoke`, headers, Buffer.from(bytes));
          const { key, scope, signed, signature } = parseAuthorization(request.headers.authorization ?? '');
          expect(key).toBe('AKIDEXAMPLE');
          expect(scope).toBe('20150830/us-east-1/bedrock/aws4_request');
          expect(request.headers['x-amz-content-sha256']).toBe(
            createHash('sha256').update(bytes).digest('hex'),
          );
          expect(signature).toBe(expectedSignature(request, signed, scope, secret));
        },
      ),
    );
  });

  it('signs host, type, date, token, body and the parameters of the call, and sends the rest beside', async () => {
    const headers: [string, string][] = [
      ['Accept', 'application/json'],
      ['User-Agent', 'client'],
      ['Content-Type', 'application/json'],
      ['X-Amzn-Bedrock-Trace', 'ENABLED'],
    ];
    const { made } = await sign('/model/a.b/invoke', headers, Buffer.from('{}'));
    const names = made.map(([name]) => name.toLowerCase());
    const { signed } = parseAuthorization(new Map(made).get('authorization') ?? '');
    const added = ['authorization', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];
    expect(names.sort()).toEqual([...headers.map(([name]) => name.toLowerCase()), ...added].sort());
    expect(signed).toEqual([
      ...['content-type', 'host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'],
      'x-amzn-bedrock-trace',
    ]);
    expect(made).toContainEqual(['x-amz-security-token', 'session-token']);
  });

  it('sends a signed header that came twice as the one that it signed', async () => {
    const headers: [string, string][] = [
      ['X-Amzn-Bedrock-Trace', 'a'],
      ['x-amzn-bedrock-trace', 'b'],
    ];
    const { made, request } = await sign('/model/a.b/invoke', headers, Buffer.alloc(0));
    expect(made).toContainEqual(['x-amzn-bedrock-trace', 'a,b']);
    const { scope, signed, signature } = parseAuthorization(request.headers.authorization ?? '');
    expect(signature).toBe(expectedSignature(request, signed, scope, secret));
  });

  it('lets others have their turn while it hashes a large body', async () => {
    const body = Buffer.alloc(32 * 1024 * 1024, 7);
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 0);
    const { request } = await sign('/model/a.b/invoke', [], body);
    clearInterval(counting);
    expect(request.headers['x-amz-content-sha256']).toBe(createHash('sha256').update(body).digest('hex'));
    expect(turns).toBeGreaterThan(5);
  });
});
