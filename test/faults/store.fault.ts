import { Cluster } from '../support/cluster.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { storeIsLost } from './suites/lost-store.ts';

describeWith(
  ['docker', 'redis', 'redis-server', 's3', 'workspace-base-image'],
  'a Redis that loses what it knew',
  () => storeIsLost((env, url = redis().url) => new Cluster(url, env)),
);
