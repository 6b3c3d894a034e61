import { BerthError, isBerthError } from '../../contracts/errors.ts';
import type { VolumeName } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import { labelsFor, takenBy } from '../ownership.ts';
import type { User } from '../socket-folder.ts';
import { asFailure, clearedUp } from '../turns.ts';
import { volumeNotFound } from '../volume-backend.ts';
import { type AppContainerSpec, appOptions, portName, portOptions } from './app-options.ts';
import { removePair } from './app-pair.ts';
import type { CreationSettings } from './container-creation.ts';
import type { EngineClient } from './engine-client.ts';
import { createFailure, isRefusal } from './engine-errors.ts';
import { whileItRuns } from './start-watch.ts';

export interface AppCreationSettings extends CreationSettings {
  portImage: string;
}

const READY_SECONDS = 30;

/**
 * One attempt to make an app and the container that holds its network. It ends with both or with nothing. The network
 * comes first and its name is the lock: whoever has it may clear the folder, and nobody else.
 */
export class AppCreation {
  readonly #engine: EngineClient;
  readonly #spec: AppContainerSpec;
  readonly #settings: AppCreationSettings;
  readonly #attempt: AbortController;
  readonly #labels: Record<string, string>;
  /** The engine's ids, once there is something to remove. */
  #port: string | undefined;
  #app: string | undefined;

  constructor(
    engine: EngineClient,
    spec: AppContainerSpec,
    settings: AppCreationSettings,
    attempt: AbortController,
  ) {
    this.#engine = engine;
    this.#spec = spec;
    this.#settings = settings;
    this.#attempt = attempt;
    this.#labels = labelsFor(spec, settings, new Date());
  }

  async run(): Promise<void> {
    try {
      await this.#steps();
    } catch (error) {
      const failure = asFailure(createFailure(error, this.#spec.image));
      throw await clearedUp(failure, () => this.#clear(error));
    }
  }

  // Calls to the engine run to their end even when aborted: cut short, they would leave it open what was made.
  async #steps(): Promise<void> {
    const { user, folder, features } = this.#settings;
    const writer = features.remapsUsers ? undefined : user;
    await this.#requireVolume();
    await folder.ensure(writer);
    const port = await this.#createPort();
    this.#port = port;
    await folder.clearAgentSockets();
    this.#attempt.signal.throwIfAborted();
    // The app's container is made while its network starts; the port's program starts while the app does.
    await this.#together(this.#start(port), this.#createApp(port));
    await this.#together(this.#takeSocket(port, writer), this.#start(this.#app ?? ''));
  }

  /** Resolves when all have; the first that fails ends the attempt, and is thrown once the others are over. */
  async #together(...calls: Promise<void>[]): Promise<void> {
    for (const call of calls) call.catch((error) => this.#attempt.abort(error));
    await Promise.allSettled(calls);
    this.#attempt.signal.throwIfAborted();
  }

  async #createPort(): Promise<string> {
    const { user, folder, features, apparmorProfile, portImage } = this.#settings;
    const labels = labelsFor({ ...this.#spec, labels: {} }, this.#settings, new Date(this.#madeAt));
    const around = { user, folder, labels, engine: features, apparmorProfile, image: portImage };
    return this.#create(portName(this.#spec.id), portImage, portOptions(this.#spec, around));
  }

  async #createApp(port: string): Promise<void> {
    const { features, apparmorProfile } = this.#settings;
    const around = { labels: this.#labels, engine: features, apparmorProfile, port };
    this.#app = await this.#create(this.#spec.id, this.#spec.image, appOptions(this.#spec, around));
    await this.#requireSameVolume();
  }

  async #create(
    name: string,
    image: string,
    options: Parameters<EngineClient['create']>[1],
  ): Promise<string> {
    try {
      return await this.#engine.create(name, options);
    } catch (error) {
      if (!isRefusal(error, 409)) throw createFailure(error, image);
      const labels = (await this.#engine.inspect(name))?.Config.Labels ?? {};
      throw new BerthError('CONTAINER_CREATE_FAILED', takenBy(name, labels), {}, error);
    }
  }

  async #start(container: string): Promise<void> {
    try {
      await this.#engine.start(container);
    } catch (error) {
      // Not the image: that was there a moment ago, at the create.
      if (isRefusal(error))
        throw new BerthError('CONTAINER_CREATE_FAILED', `the engine said: ${error.message}`, {}, error);
      throw error;
    }
  }

  async #takeSocket(port: string, owner: User | undefined): Promise<void> {
    const { folder, agentReadySeconds = READY_SECONDS } = this.#settings;
    const starting = { engineId: port, name: portName(this.#spec.id), until: 'it listened' };
    await whileItRuns(this.#engine, starting, this.#attempt, () =>
      folder.takeAgentSocket(owner, agentReadySeconds, this.#attempt.signal),
    );
  }

  async #requireVolume(): Promise<void> {
    const name = this.#spec.app.volume?.name;
    if (name !== undefined && !(await this.#isOwnVolume(name))) throw volumeNotFound(name);
  }

  /** The engine makes a volume that is not there. One that went away just before is not to come back empty. */
  async #requireSameVolume(): Promise<void> {
    const name = this.#spec.app.volume?.name;
    if (name === undefined || (await this.#isOwnVolume(name))) return;
    await removePair(this.#engine, { app: this.#app, port: undefined }, 0);
    this.#app = undefined;
    await this.#engine.removeVolume(name).catch((error) => {
      if (!isRefusal(error, 404, 409)) throw error; // gone, or someone else has it
    });
    throw volumeNotFound(name);
  }

  async #isOwnVolume(name: VolumeName): Promise<boolean> {
    const labels = await this.#engine.volumeLabels(name);
    return labels?.[LABEL.installation] === this.#settings.installation && labels[LABEL.part] === undefined;
  }

  get #madeAt(): string {
    return this.#labels[LABEL.createdAt] ?? '';
  }

  async #clear(error: unknown): Promise<void> {
    const { id } = this.#spec;
    const unheard = isBerthError(error, 'BACKEND_UNAVAILABLE');
    const made = async (known: string | undefined, name: string) =>
      known ?? (unheard ? await this.#madeUnheard(name) : undefined);
    const app = await made(this.#app, id);
    const port = await made(this.#port, portName(id));
    await removePair(this.#engine, { app, port }, 0);
    // Whoever has the name of the port by now has the folder, too.
    if ((await this.#engine.inspect(portName(id))) === undefined) await this.#settings.folder.remove();
  }

  /** What the engine made though its answer never came: of this very attempt, by its time. */
  async #madeUnheard(name: string): Promise<string | undefined> {
    const found = await this.#engine.inspect(name);
    const labels = found?.Config.Labels ?? {};
    const ours =
      labels[LABEL.installation] === this.#settings.installation && labels[LABEL.createdAt] === this.#madeAt;
    return ours ? found?.Id : undefined;
  }
}
