import { isBerthError } from '../../contracts/errors.ts';
import type { VolumeName } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import { labelsFor } from '../ownership.ts';
import { asFailure, clearedUp } from '../turns.ts';
import { volumeNotFound } from '../volume-backend.ts';
import { type AppContainerSpec, appOptions, portName } from './app-options.ts';
import { removePair } from './app-pair.ts';
import type { EngineClient } from './engine-client.ts';
import { createFailure, isRefusal } from './engine-errors.ts';
import { createNamed, PortCreation, type PortSettings, startContainer } from './port-creation.ts';

/**
 * One attempt to make an app and the container that holds its network. It ends with both or with nothing. The network
 * comes first, or has been there as a spare, and its name is the lock: whoever has it may clear the folder, and nobody else.
 */
export class AppCreation {
  readonly #engine: EngineClient;
  readonly #spec: AppContainerSpec;
  readonly #settings: PortSettings;
  readonly #attempt: AbortController;
  readonly #takeSpare: () => Promise<string | undefined>;
  readonly #labels: Record<string, string>;
  /** The engine's ids, once there is something to remove. */
  #port: string | undefined;
  #app: string | undefined;

  constructor(
    engine: EngineClient,
    spec: AppContainerSpec,
    settings: PortSettings,
    attempt: AbortController,
    takeSpare: () => Promise<string | undefined>,
  ) {
    this.#engine = engine;
    this.#spec = spec;
    this.#settings = settings;
    this.#attempt = attempt;
    this.#takeSpare = takeSpare;
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
    await this.#requireVolume();
    const spare = await this.#takeSpare();
    if (spare === undefined) return this.#makeBoth();
    this.#port = spare;
    this.#attempt.signal.throwIfAborted();
    await this.#createApp(spare);
    this.#attempt.signal.throwIfAborted();
    await startContainer(this.#engine, this.#app ?? '');
    this.#attempt.signal.throwIfAborted();
  }

  async #makeBoth(): Promise<void> {
    const { user, folder, features } = this.#settings;
    await folder.ensure(features.remapsUsers ? undefined : user);
    const creation = new PortCreation(this.#engine, portName(this.#spec.id), this.#settings, this.#attempt);
    const port = await creation.create(this.#spec, new Date(this.#madeAt));
    this.#port = port;
    await folder.clearAgentSockets();
    this.#attempt.signal.throwIfAborted();
    // The app's container is made while its network starts; the port's program starts while the app does.
    await this.#together(startContainer(this.#engine, port), this.#createApp(port));
    await this.#together(creation.takeSocket(port), startContainer(this.#engine, this.#app ?? ''));
  }

  /** Resolves when all have; the first that fails ends the attempt, and is thrown once the others are over. */
  async #together(...calls: Promise<void>[]): Promise<void> {
    for (const call of calls) call.catch((error) => this.#attempt.abort(error));
    await Promise.allSettled(calls);
    this.#attempt.signal.throwIfAborted();
  }

  async #createApp(port: string): Promise<void> {
    const { features, apparmorProfile } = this.#settings;
    const around = { labels: this.#labels, engine: features, apparmorProfile, port };
    const options = appOptions(this.#spec, around);
    this.#app = await createNamed(this.#engine, this.#spec.id, this.#spec.image, options);
    await this.#requireSameVolume();
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
