import type { ReplicationGroupArgs } from '@pulumi/aws/elasticache/replicationGroup.js';
import type { Unwrap } from '@pulumi/pulumi';
import { Redis } from 'ioredis';
import type { Effects } from '../aws-type.ts';

/** Names the Redis that a replication group is: `rediss://` with a user who may everything, on the usual port. */
export const GIVEN_REDIS = 'BERTH_TEST_ELASTICACHE';

/** The Redis of the test, empty, with the token that the program asks for. Its certificate is known to this process. */
export const givenRedis: Effects<Unwrap<ReplicationGroupArgs>> = {
  async created(group, { id }) {
    const { authToken, port, transitEncryptionEnabled, clusterMode, replicasPerNodeGroup = 0 } = group;
    const url = process.env[GIVEN_REDIS];
    if (url === undefined) throw new Error(`This provider wants a Redis, named by ${GIVEN_REDIS}.`);
    const { hostname, protocol, port: at = '6379' } = new URL(url);
    if (authToken === undefined || !transitEncryptionEnabled || protocol !== 'rediss:' || Number(at) !== port)
      throw new Error('This provider has a Redis with TLS and a token, on the port of its address.');
    if (clusterMode !== 'enabled' || group.numNodeGroups !== 1)
      throw new Error('This provider has a Redis cluster of one shard.');
    const client = new Redis(url, { maxRetriesPerRequest: 1 });
    try {
      await client.flushall();
      await client.config('SET', 'requirepass', authToken);
    } finally {
      client.disconnect();
    }
    const nodes = Array.from({ length: 1 + replicasPerNodeGroup }, (_, at) => `${id}-0001-00${at + 1}`);
    return { configurationEndpointAddress: hostname, memberClusters: nodes };
  },
};
