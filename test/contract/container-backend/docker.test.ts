import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DockerBackend } from '../../../runtime/containers/docker/docker-backend.ts';
import { describeWith, docker, workspaceImage } from '../../support/services/provided.ts';
import { containerBackendContract } from './container-backend-contract.ts';
import { TestFolder } from './test-folder.ts';

describeWith(['docker', 'workspace-base-image'], 'the docker backend', () => {
  containerBackendContract(() => {
    const folder = new TestFolder();
    return {
      open: (options) =>
        new DockerBackend({
          version: '1.2.3',
          dockerHost: docker().host,
          socketBasePath: folder.path,
          ...options,
        }),
      image: workspaceImage(),
      hasTraces: (id) => existsSync(join(folder.path, id)),
      remove: async () => folder.remove(),
    };
  });
});
