import { describeWith, docker, editorImage, workspaceImage } from '../support/services/provided.ts';
import { workspacesWork } from './workspaces.e2e.ts';

describeWith(['docker', 'workspace-base-image', 'workspace-editor-image'], 'a workspace on Docker', () => {
  workspacesWork(() => ({
    CONTAINER_MANAGER_TYPE: 'docker',
    DOCKER_HOST: docker().host,
    WORKSPACE_IMAGE: workspaceImage(),
    DEFAULT_WORKSPACE_IMAGE_REF: editorImage(),
  }));
});
