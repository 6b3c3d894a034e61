import { describeWith } from '../../../support/services/provided.ts';
import { dockerApps } from '../apps/docker-apps.ts';
import { workersContract } from './workers-contract.ts';

const images = ['workspace-base-image', 'function-node-image', 'function-python-image'] as const;

describeWith(['docker', ...images], 'workers of the docker backend', () => {
  workersContract(dockerApps);
});
