import { createHash } from 'node:crypto';
import { type ComponentResource, type Output, secret } from '@pulumi/pulumi';
import { RandomBytes, RandomPassword } from '@pulumi/random';

const TENANT = 'default';

/** What is made up once and kept in the stack's state, encrypted. */
export interface DockerSecrets {
  redisPassword: Output<string>;
  databasePassword: Output<string>;
  /** 64 hex digits, from which the runtime derives every token. */
  installationSecret: Output<string>;
  /** The key of whoever runs `pulumi up`. */
  apiKey: Output<string>;
  /** What the runtime knows of it: its hash. */
  apiKeys: Output<string>;
}

export function dockerSecrets(name: string, parent: ComponentResource): DockerSecrets {
  const password = (of: string) =>
    new RandomPassword(`${name}-${of}`, { length: 32, special: false }, { parent }).result;
  const apiKey = secret(password('api-key').apply((text) => `berth_${text}`));
  return {
    redisPassword: secret(password('redis')),
    databasePassword: secret(password('database')),
    installationSecret: secret(new RandomBytes(`${name}-secret`, { length: 32 }, { parent }).hex),
    apiKey,
    apiKeys: secret(apiKey.apply(keyFile)),
  };
}

/** One key for everything, as `BERTH_API_KEYS` has it. */
function keyFile(key: string): string {
  const sha256 = createHash('sha256').update(key).digest('hex');
  return JSON.stringify([{ name: 'pulumi', tenant: TENANT, sha256, scope: 'admin' }]);
}
