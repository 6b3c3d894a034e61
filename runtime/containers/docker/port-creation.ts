import { BerthError } from '../../contracts/errors.ts';
import { labelsFor, takenBy } from '../ownership.ts';
import { type AppContainerSpec, type PortSpec, portOptions } from './app-options.ts';
import type { CreationSettings } from './container-creation.ts';
import type { EngineClient } from './engine-client.ts';
import { createFailure, isRefusal } from './engine-errors.ts';
import { whileItRuns } from './start-watch.ts';

export interface PortSettings extends CreationSettings {
  portImage: string;
}

const READY_SECONDS = 30;

/** The steps by which a container comes to be that holds the network of an app. */
export class PortCreation {
  readonly #engine: EngineClient;
  readonly #name: string;
  readonly #settings: PortSettings;
  readonly #attempt: AbortController;

  constructor(engine: EngineClient, name: string, settings: PortSettings, attempt: AbortController) {
    this.#engine = engine;
    this.#name = name;
    this.#settings = settings;
    this.#attempt = attempt;
  }

  /** Resolves with the engine's id. The folder is there. */
  create(spec: PortSpec, madeAt: Date): Promise<string> {
    const { user, folder, features, apparmorProfile, portImage } = this.#settings;
    const labels = labelsFor({ ...spec, labels: {} }, this.#settings, madeAt);
    const around = { user, folder, labels, engine: features, apparmorProfile, image: portImage };
    return createNamed(this.#engine, this.#name, portImage, portOptions(spec, around));
  }

  /** Resolves once its program listens, where it is to be dialled. */
  async takeSocket(engineId: string): Promise<void> {
    const { user, features, folder, agentReadySeconds = READY_SECONDS } = this.#settings;
    const owner = features.remapsUsers ? undefined : user;
    const starting = { engineId, name: this.#name, until: 'it listened' };
    await whileItRuns(this.#engine, starting, this.#attempt, () =>
      folder.takeAgentSocket(owner, agentReadySeconds, this.#attempt.signal),
    );
  }
}

export async function createNamed(
  engine: EngineClient,
  name: string,
  image: AppContainerSpec['image'],
  options: Parameters<EngineClient['create']>[1],
): Promise<string> {
  try {
    return await engine.create(name, options);
  } catch (error) {
    if (!isRefusal(error, 409)) throw createFailure(error, image);
    const labels = (await engine.inspect(name))?.Config.Labels ?? {};
    throw new BerthError('CONTAINER_CREATE_FAILED', takenBy(name, labels), {}, error);
  }
}

export async function startContainer(engine: EngineClient, engineId: string): Promise<void> {
  try {
    await engine.start(engineId);
  } catch (error) {
    // Not the image: that was there a moment ago, at the create.
    if (isRefusal(error))
      throw new BerthError('CONTAINER_CREATE_FAILED', `the engine said: ${error.message}`, {}, error);
    throw error;
  }
}
