import { createHash } from 'node:crypto';
import { Secret } from '@pulumi/aws/secretsmanager/secret.js';
import { SecretVersion } from '@pulumi/aws/secretsmanager/secretVersion.js';
import { type Input, interpolate, type Output, secret } from '@pulumi/pulumi';
import { RandomBytes, RandomPassword } from '@pulumi/random';
import type { EcsPlace } from './ecs-place.ts';

const TENANT = 'default';
const DAYS_TO_RECOVER = 7;

/** A value in Secrets Manager, as a task definition names it: with its version, so that a new value is deployed. */
export interface StoredSecret {
  arn: Output<string>;
  /** Of the secret itself, for whoever may read it. */
  secretArn: Output<string>;
}

/** What is made up once. The state of the stack has it encrypted. */
export interface GeneratedSecrets {
  redisToken: Output<string>;
  databasePassword: Output<string>;
  /** 64 hex digits, from which the runtime derives every token. */
  installationSecret: Output<string>;
  /** The key of whoever runs `pulumi up`. */
  apiKey: Output<string>;
  /** What the runtime knows of it: its hash. */
  apiKeys: Output<string>;
}

export function generatedSecrets({ name, parent }: EcsPlace): GeneratedSecrets {
  const password = (of: string) =>
    secret(new RandomPassword(`${name}-${of}`, { length: 48, special: false }, { parent }).result);
  const apiKey = password('api-key').apply((text) => `berth_${text}`);
  return {
    redisToken: password('redis'),
    databasePassword: password('database'),
    installationSecret: secret(new RandomBytes(`${name}-secret`, { length: 32 }, { parent }).hex),
    apiKey,
    apiKeys: apiKey.apply(keyFile),
  };
}

/** Puts a value into Secrets Manager. What opens kept data is kept with it. */
export function storedSecret(
  { name, parent, tags }: EcsPlace,
  of: { called: string; what: string; value: Output<string>; destroyData: boolean },
): StoredSecret {
  const called = `${name}-${of.called}`;
  const retainOnDelete = !of.destroyData;
  const made = new Secret(
    called,
    {
      description: `Berth ${name}: ${of.what}`,
      recoveryWindowInDays: of.destroyData ? 0 : DAYS_TO_RECOVER,
      tags,
    },
    { parent, retainOnDelete },
  );
  const version = new SecretVersion(
    called,
    { secretId: made.id, secretString: secret(of.value) },
    { parent, retainOnDelete },
  );
  return { arn: interpolate`${made.arn}:::${version.versionId}`, secretArn: made.arn };
}

/** Of those, what the runtime is given by itself. */
export function keptSecrets(
  place: EcsPlace,
  { installationSecret, apiKeys }: GeneratedSecrets,
  destroyData: boolean,
): { installationSecret: StoredSecret; apiKeys: StoredSecret } {
  const stored = (called: string, what: string, value: Output<string>) =>
    storedSecret(place, { called, what, value, destroyData });
  return {
    installationSecret: stored('installation-secret', 'what tokens are made from', installationSecret),
    apiKeys: stored('api-keys', 'hashes of the API keys', apiKeys),
  };
}

/** A key that was given, which its owner has elsewhere. */
export function givenKey(place: EcsPlace, key: Input<string> | undefined): StoredSecret | undefined {
  if (key === undefined) return undefined;
  const value = secret(key);
  return storedSecret(place, {
    called: 'anthropic-api-key',
    what: 'the key of Anthropic',
    value,
    destroyData: true,
  });
}

/** One key for everything, as `BERTH_API_KEYS` has it. */
function keyFile(key: string): string {
  const sha256 = createHash('sha256').update(key).digest('hex');
  return JSON.stringify([{ name: 'pulumi', tenant: TENANT, sha256, scope: 'admin' }]);
}
