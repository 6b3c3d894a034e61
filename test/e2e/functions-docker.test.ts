import {
  describeWith,
  docker,
  functionNodeImage,
  functionPythonImage,
  workspaceImage,
} from '../support/services/provided.ts';
import { functionsWork } from './functions.e2e.ts';

const images = ['workspace-base-image', 'function-node-image', 'function-python-image'] as const;

describeWith(['docker', ...images], 'a function on Docker', () => {
  functionsWork(
    () => ({
      CONTAINER_MANAGER_TYPE: 'docker',
      DOCKER_HOST: docker().host,
      WORKSPACE_IMAGE: workspaceImage(),
      ALLOWED_IMAGES: `${functionNodeImage()},${functionPythonImage()}`,
    }),
    () => ({ image: functionNodeImage() }),
    { python: () => ({ image: functionPythonImage() }) },
  );
});
