import type { ContainerBackend } from '../../../runtime/containers/container-backend.ts';
import { DockerBackend } from '../../../runtime/containers/docker/docker-backend.ts';
import { type ContainerPlace, onEngine } from '../../support/container-place.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import { docker, workspaceImage } from '../../support/services/provided.ts';
import { engineTarget } from '../containers/docker/engine-target.ts';

/** What a fleet makes its containers with. */
export interface FleetHome {
  readonly image: string;
  /** A backend of this installation, with a folder of its own. */
  open(options: { installation: string; folder: string }): ContainerBackend;
}

/** A home whose containers a test harms from outside. */
export interface FleetPlace extends FleetHome, Pick<ContainerPlace, 'kill' | 'silence'> {
  /** The same, by a way that can be cut. */
  cuttable(): Promise<CuttablePlace>;
}

export interface CuttablePlace extends FleetPlace, AsyncDisposable {
  /** The backend can't be asked; containers answer as before. */
  cut(): void;
  restore(): void;
}

/** The engine of the run. */
export function fleetOnDocker(dockerHost = docker().host): FleetPlace {
  const { kill, silence } = onEngine();
  return {
    image: workspaceImage(),
    open: ({ installation, folder }) =>
      new DockerBackend({ installation, version: '1.2.3', dockerHost, socketBasePath: folder }),
    kill,
    silence,
    async cuttable() {
      const relay = await CuttableRelay.open(engineTarget());
      return {
        ...fleetOnDocker(`tcp://127.0.0.1:${relay.port}`),
        cut: () => relay.cut(),
        restore: () => relay.restore(),
        [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose](),
      };
    },
  };
}
