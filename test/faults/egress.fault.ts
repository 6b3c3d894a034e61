import { Cluster } from '../support/cluster.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { wayOutIsKept } from './suites/way-out.ts';

describeWith(['docker', 'redis', 's3', 'workspace-base-image'], 'the way out of a container', () => {
  wayOutIsKept((env, url = redis().url) => new Cluster(url, env));
});
