import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { SigningRule } from '../../../../runtime/contracts/egress.ts';
import { routeRequest } from '../../../../runtime/egress/routes/route-request.ts';
import { freePort } from '../../../support/services/free-port.ts';
import { describeWith } from '../../../support/services/provided.ts';
import { egressState, planned, signingRule } from '../routes/egress-state.ts';

const HOST = 'bedrock-runtime.us-east-1.amazonaws.com';

describeWith('moto', 'a signed request at a server that checks signatures as AWS does', () => {
  let port = 0;
  let server: ReturnType<typeof spawn>;
  let rule: SigningRule;

  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | Buffer,
  ) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers });
    asked.end(body);
    const [answer] = await once(asked, 'response');
    return { status: answer.statusCode as number, body: await text(answer) };
  };

  /** Unchecked: moto checks from the fourth action on. */
  const iam = async (service: string, parameters: Record<string, string>): Promise<string> => {
    const answer = await ask(
      'POST',
      '/',
      {
        host: `${service}.amazonaws.com`,
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=none`,
      },
      new URLSearchParams(parameters).toString(),
    );
    if (answer.status !== 200) throw new Error(answer.body);
    return answer.body;
  };

  beforeAll(async () => {
    port = await freePort();
    const python = process.env.TEST_MOTO_PYTHON ?? '';
    const args = ['-c', `from moto.server import main; main(["-H", "127.0.0.1", "-p", "${port}"])`];
    const env = { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: '3' };
    server = spawn(python, args, { env, stdio: 'ignore' });
    await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/moto-api/`), { timeout: 30_000, interval: 100 });
    const policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'bedrock:*', Resource: '*' }],
    });
    const version = '2010-05-08';
    await iam('iam', {
      Action: 'CreateRole',
      Version: version,
      RoleName: 'r',
      AssumeRolePolicyDocument: policy,
    });
    await iam('iam', {
      Action: 'PutRolePolicy',
      Version: version,
      RoleName: 'r',
      PolicyName: 'p',
      PolicyDocument: policy,
    });
    const assumed = await iam('sts', {
      Action: 'AssumeRole',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::123456789012:role/r',
      RoleSessionName: 's',
    });
    const field = (name: string): string => new RegExp(`<${name}>([^<]+)<`).exec(assumed)?.[1] ?? '';
    rule = signingRule({
      credentials: {
        access_key_id: field('AccessKeyId'),
        secret_access_key: field('SecretAccessKey'),
        session_token: field('SessionToken'),
        expires_at: field('Expiration'),
      },
    });
  });

  afterAll(async () => {
    if (server.exitCode !== null) return;
    server.kill();
    await once(server, 'exit');
  });

  const invoke = async (signing: SigningRule, model: string, sent?: string) => {
    const plan = planned(
      routeRequest(
        {
          method: 'POST',
          path: `/model/${model}/invoke`,
          headers: [
            ['Content-Type', 'application/json'],
            ['Authorization', 'AWS4-HMAC-SHA256 Credential=mine'],
            ['X-Amz-Date', '20000101T000000Z'],
          ],
        },
        egressState({ signing }),
      ),
    );
    const body = Buffer.from('{"prompt":"hello"}');
    const headers = Object.fromEntries((await plan.gather?.finish(body)) ?? []);
    return ask('POST', sent ?? plan.path, { ...headers, host: HOST }, body);
  };

  it.each([
    'amazon.titan-text',
    'anthropic.claude-3-sonnet-20240229-v1:0',
    'us.anthropic.claude-sonnet-4-5-v1%3A0',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile%2Fus.anthropic.claude-v1:0',
  ])('is taken for the model %s', async (model) => {
    expect(await invoke(rule, model)).toMatchObject({ status: 200 });
  });

  it('is refused with another secret, or when another path is sent than was signed', async () => {
    const credentials = { ...rule.credentials, secret_access_key: 'another' };
    const wrong = { status: 403, body: expect.stringContaining('SignatureDoesNotMatch') };
    expect(await invoke({ ...rule, credentials }, 'a.b')).toMatchObject(wrong);
    expect(await invoke(rule, 'a.b', '/model/a.c/invoke')).toMatchObject(wrong);
  });
});
