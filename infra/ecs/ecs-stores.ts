import { interpolate, type Output } from '@pulumi/pulumi';
import { ecsBucket, OBJECT_PREFIX } from './ecs-bucket.ts';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { ecsPostgres } from './ecs-postgres.ts';
import { ecsRedis } from './ecs-redis.ts';
import { type GeneratedSecrets, type StoredSecret, storedSecret } from './ecs-secrets.ts';
import type { SecurityGroups } from './security-groups.ts';

interface Given {
  place: EcsPlace;
  network: EcsNetwork;
  groups: SecurityGroups;
  secrets: GeneratedSecrets;
  destroyData: boolean;
}

export interface EcsStores {
  redisUrl: StoredSecret;
  databaseUrl: StoredSecret;
  objectStoreUrl: Output<string>;
  bucketArn: Output<string>;
  /** What to watch them by. */
  redisNodes: Output<string>[];
  database: Output<string>;
}

/** What the runtime keeps, and where it finds it. All of it stays when the platform goes, unless it is told otherwise. */
export function ecsStores({ place, network, groups, secrets, destroyData }: Given): EcsStores {
  const subnetIds = network.serviceSubnets;
  const redis = ecsRedis({
    place,
    subnetIds,
    securityGroupId: groups.redis.id,
    token: secrets.redisToken,
    destroyData,
  });
  const postgres = ecsPostgres({
    place,
    subnetIds,
    securityGroupId: groups.postgres.id,
    password: secrets.databasePassword,
    destroyData,
  });
  const bucket = ecsBucket(place, destroyData);
  const stored = (called: string, what: string, value: Output<string>) =>
    storedSecret(place, { called, what, value, destroyData });
  return {
    redisUrl: stored('redis-url', 'where its state is, with the token', redis.url),
    databaseUrl: stored('database-url', 'where its database is, with the password', postgres.url),
    objectStoreUrl: interpolate`s3://${bucket.bucket}/${OBJECT_PREFIX}`,
    bucketArn: bucket.arn,
    redisNodes: redis.nodes,
    database: postgres.identifier,
  };
}
