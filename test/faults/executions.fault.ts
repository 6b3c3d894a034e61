import { Cluster } from '../support/cluster.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { executionsMeetTrouble } from './suites/executions.ts';
import { executionsOfTwoInstances } from './suites/executions-of-two-instances.ts';

describeWith(['docker', 'redis', 's3', 'workspace-base-image'], 'an execution', () => {
  const open = (env = {}, url = redis().url) => new Cluster(url, env);
  executionsOfTwoInstances(open);
  executionsMeetTrouble(open);
});
