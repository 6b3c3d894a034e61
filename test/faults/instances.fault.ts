import { Cluster } from '../support/cluster.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { twoInstances } from './suites/two-instances.ts';

describeWith(['docker', 'redis', 's3', 'workspace-base-image'], 'two instances over one Redis', () => {
  twoInstances((env) => new Cluster(redis().url, env));
});
