import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BedrockCredentials } from '../../../runtime/egress-host/bedrock-credentials.ts';
import { startS3 } from '../../support/services/provided.ts';

const settings = {
  region: 'us-east-1',
  roleArn: 'arn:aws:iam::123456789012:role/models-only',
  baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  sessionName: 'berth-test',
};
const log = pino({ level: 'silent' });

/** The server that stands for S3 is AWS's other services as well. */
describe('the credentials for Bedrock', () => {
  const before = { ...process.env };

  let stop: () => Promise<void>;

  beforeAll(async () => {
    const server = await startS3();
    stop = async () => server.stop();
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_STS: server.endpoint,
      AWS_ACCESS_KEY_ID: server.accessKeyId,
      AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    });
  });

  afterAll(async () => {
    process.env = before;
    await stop();
  });

  it("are the role's own, for an hour at most", async () => {
    const renewed = vi.fn();
    const credentials = new BedrockCredentials(settings, log, renewed);
    expect(credentials.current).toBeNull();
    await credentials.start();
    credentials.close();

    const { current } = credentials;
    expect(current).toMatchObject({ service: 'bedrock', region: 'us-east-1', base_url: settings.baseUrl });
    expect(current?.credentials.access_key_id).toMatch(/^ASIA/);
    expect(current?.credentials.access_key_id).not.toBe(process.env.AWS_ACCESS_KEY_ID);
    expect(current?.credentials.session_token).not.toBe('');
    const left = Date.parse(current?.credentials.expires_at ?? '') - Date.now();
    expect(left).toBeGreaterThan(50 * 60_000);
    expect(left).toBeLessThanOrEqual(60 * 60_000 + 5_000);
    expect(renewed).toHaveBeenCalledOnce();
  });

  it('are asked for again before they expire, and after a refusal', async () => {
    const short = () => new Date(Date.now() + 200);
    let asked = 0;
    const renewed = vi.fn();
    const credentials = new BedrockCredentials(settings, log, renewed, async () => {
      asked += 1;
      if (asked === 2) throw new Error('AWS is away');
      return {
        $metadata: {},
        Credentials: {
          AccessKeyId: `ASIA${asked}`,
          SecretAccessKey: 'secret',
          SessionToken: 'token',
          Expiration: short(),
        },
      };
    });
    await credentials.start();
    await vi.waitFor(() => expect(renewed.mock.calls.length).toBeGreaterThanOrEqual(2), { timeout: 5_000 });
    credentials.close();
    expect(asked).toBeGreaterThanOrEqual(3);
    expect(credentials.current?.credentials.access_key_id).not.toBe('ASIA1');
  });
});
