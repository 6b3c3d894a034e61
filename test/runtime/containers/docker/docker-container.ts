import { afterAll, beforeAll } from 'vitest';
import type { ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import { DockerBackend } from '../../../../runtime/containers/docker/docker-backend.ts';
import type { TestAgent } from '../../../contract/container-backend/agent-calls.ts';
import { agentOf, containerSpec } from '../../../contract/container-backend/specs.ts';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';
import { docker, workspaceImage } from '../../../support/services/provided.ts';

export interface DockerContainer {
  backend: DockerBackend;
  spec: ContainerSpec;
  agent: TestAgent;
  /** The folder of the sockets of all containers. */
  base: string;
}

/** A real container for the tests of one `describe`, made before them and gone after. */
export function useDockerContainer(change: Partial<ContainerSpec> = {}): () => DockerContainer {
  let container: DockerContainer | undefined;
  let folder: TestFolder;

  beforeAll(async () => {
    folder = new TestFolder();
    const backend = openDockerBackend(folder.path);
    const spec = containerSpec(workspaceImage(), change);
    await backend.create(spec);
    container = { backend, spec, agent: agentOf(backend, spec), base: folder.path };
  });

  afterAll(async () => {
    await container?.backend.destroy(container.spec.id);
    await container?.backend.close();
    folder.remove();
  });

  return () => {
    if (container === undefined) throw new Error('the container is made before the tests, not before that');
    return container;
  };
}

export function openDockerBackend(socketBasePath: string, dockerHost = docker().host): DockerBackend {
  return new DockerBackend({ installation: 'docker-tests', version: '1.2.3', dockerHost, socketBasePath });
}
