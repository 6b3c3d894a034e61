import { describeWith, docker, functionNodeImage, workspaceImage } from '../support/services/provided.ts';
import { functionsWork } from './functions.e2e.ts';

describeWith(['docker', 'workspace-base-image', 'function-node-image'], 'a function on Docker', () => {
  functionsWork(
    () => ({
      CONTAINER_MANAGER_TYPE: 'docker',
      DOCKER_HOST: docker().host,
      WORKSPACE_IMAGE: workspaceImage(),
      ALLOWED_IMAGES: functionNodeImage(),
    }),
    () => ({ image: functionNodeImage() }),
  );
});
