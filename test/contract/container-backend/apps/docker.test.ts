import { describeWith } from '../../../support/services/provided.ts';
import { appsContract } from './apps-contract.ts';
import { dockerApps } from './docker-apps.ts';

describeWith(['docker', 'workspace-base-image'], 'apps of the docker backend', () => {
  appsContract(dockerApps);
});
