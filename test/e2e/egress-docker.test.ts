import { describeWith, docker, workspaceImage } from '../support/services/provided.ts';
import { egressWorks } from './egress.e2e.ts';

describeWith(['docker', 'workspace-base-image'], 'egress on Docker', () => {
  egressWorks(() => ({
    CONTAINER_MANAGER_TYPE: 'docker',
    DOCKER_HOST: docker().host,
    WORKSPACE_IMAGE: workspaceImage(),
  }));
});
