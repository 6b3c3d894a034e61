import { Cluster } from '../support/cluster.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { objectStoreFails } from './suites/objects.ts';

describeWith(['docker', 'redis', 's3', 'workspace-base-image'], 'an object store that', () => {
  objectStoreFails((env, url = redis().url) => new Cluster(url, env));
});
