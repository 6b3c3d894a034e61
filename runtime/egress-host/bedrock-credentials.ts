import type { AssumeRoleCommandOutput } from '@aws-sdk/client-sts';
import type { Logger } from 'pino';
import type { SigningRule } from '../contracts/egress.ts';

const SERVICE = 'bedrock';
const SESSION_SECONDS = 3600;
/** Renewed when this much of their life is left, so that a refusal can be waited out. */
const RENEW_AHEAD_MS = 15 * 60_000;
const SOONEST_MS = 100;
const FIRST_RETRY_MS = 1_000;
const ANSWER_MS = 5_000;
const LONGEST_RETRY_MS = 60_000;

export interface BedrockSettings {
  region: string;
  roleArn: string;
  baseUrl: string;
  /** Names the sessions in AWS's own records. */
  sessionName: string;
}

/** Asks AWS for credentials of the role. Its own client is loaded only where it is used. */
export type AssumeRole = (settings: BedrockSettings) => Promise<AssumeRoleCommandOutput>;

/** Credentials of the one role that may invoke models, renewed before they expire. */
export class BedrockCredentials {
  readonly #settings: BedrockSettings;
  readonly #assume: AssumeRole;
  readonly #log: Logger;
  /** There are new ones. */
  readonly #onRenewed: () => void;
  #current: SigningRule | null = null;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  constructor(
    settings: BedrockSettings,
    log: Logger,
    onRenewed: () => void,
    assume: AssumeRole = assumeRole,
  ) {
    this.#settings = settings;
    this.#log = log;
    this.#onRenewed = onRenewed;
    this.#assume = assume;
  }

  /** None before the first have come. */
  get current(): SigningRule | null {
    return this.#current;
  }

  /** Resolves after the first attempt; what failed is tried again, and said. */
  async start(): Promise<void> {
    if (this.#closed) return;
    try {
      this.#current = ruleOf(this.#settings, await this.#assume(this.#settings));
      this.#failures = 0;
      this.#onRenewed();
      const left = Date.parse(this.#current.credentials.expires_at) - Date.now();
      this.#again(Math.max(left - RENEW_AHEAD_MS, left / 2, SOONEST_MS));
    } catch (error) {
      this.#failures += 1;
      const pause = Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LONGEST_RETRY_MS);
      this.#log.error(
        { err: error, role: this.#settings.roleArn, retry_ms: pause },
        'the role of BEDROCK_ROLE_ARN could not be assumed: calls of models are refused once its credentials expire',
      );
      this.#again(pause);
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #again(ms: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.start(), ms).unref();
  }
}

async function assumeRole({
  region,
  roleArn,
  sessionName,
}: BedrockSettings): Promise<AssumeRoleCommandOutput> {
  const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts');
  const requestHandler = { connectionTimeout: ANSWER_MS, requestTimeout: ANSWER_MS };
  const client = new STSClient({ region, requestHandler, maxAttempts: 2 });
  try {
    const request = { RoleArn: roleArn, RoleSessionName: sessionName, DurationSeconds: SESSION_SECONDS };
    return await client.send(new AssumeRoleCommand(request));
  } finally {
    client.destroy();
  }
}

function ruleOf({ region, baseUrl }: BedrockSettings, { Credentials }: AssumeRoleCommandOutput): SigningRule {
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {};
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration)
    throw new Error('AWS answered without credentials');
  return {
    service: SERVICE,
    region,
    base_url: baseUrl,
    credentials: {
      access_key_id: AccessKeyId,
      secret_access_key: SecretAccessKey,
      session_token: SessionToken,
      expires_at: Expiration.toISOString(),
    },
  };
}
