import { vi } from 'vitest';
import { connectEngine } from '../../images/builder/engine.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { removeContainers } from './remove-containers.ts';
import { docker, workspaceImage } from './services/provided.ts';

/** Where containers run, apart from any runtime: what a test asks of it, and does there behind a runtime's back. */
export interface ContainerPlace {
  /** What makes a runtime use it. */
  readonly env: Record<string, string>;
  /** How many there are of an installation, whatever state they are in. */
  count(installation: string): Promise<number>;
  /** Whether it is there, and nobody has told it to go where that takes a while. */
  has(container: string): Promise<boolean>;
  /** Its agent ends by SIGKILL, and so does it. */
  kill(container: string): Promise<void>;
  /** It runs on but answers nobody, until the returned function is called. */
  silence(container: string): Promise<() => Promise<void>>;
  removeAll(installation: string): Promise<void>;
}

/** The engine of the run. */
export function onEngine(): ContainerPlace {
  const engine = connectEngine(docker().host);
  const found = async (filters: Record<string, string[]>) =>
    (await engine.listContainers({ all: true, filters })).length;
  return {
    env: {
      CONTAINER_MANAGER_TYPE: 'docker',
      DOCKER_HOST: docker().host,
      WORKSPACE_IMAGE: workspaceImage(),
    },
    count: (installation) => found({ label: [`${LABEL.installation}=${installation}`] }),
    has: async (container) => (await found({ name: [container] })) > 0,
    kill: (container) => engine.getContainer(container).kill(),
    async silence(container) {
      // The kernel of a busy machine may need to be asked again.
      await vi.waitFor(() => engine.getContainer(container).pause(), { timeout: 10_000, interval: 500 });
      return () => engine.getContainer(container).unpause();
    },
    removeAll: (installation) => removeContainers(docker().host, installation),
  };
}
