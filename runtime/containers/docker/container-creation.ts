import { BerthError, isBerthError } from '../../contracts/errors.ts';
import type { ContainerSpec } from '../container-backend.ts';
import { type Installation, labelsFor, ownRole, takenBy } from '../ownership.ts';
import type { SocketFolder, User } from '../socket-folder.ts';
import { asFailure, clearedUp } from '../turns.ts';
import { removeContainer } from './container-removal.ts';
import { createOptions } from './create-options.ts';
import type { EngineClient } from './engine-client.ts';
import { createFailure, isRefusal } from './engine-errors.ts';
import type { EngineFeatures } from './engine-replies.ts';
import { whileItRuns } from './start-watch.ts';

export interface CreationSettings extends Installation {
  user: User;
  folder: SocketFolder;
  features: EngineFeatures;
  apparmorProfile?: string;
  agentReadySeconds?: number;
}

const READY_SECONDS = 30;

/** One attempt to make a container. It ends with a whole one or with nothing. */
export class ContainerCreation {
  readonly #engine: EngineClient;
  readonly #spec: ContainerSpec;
  readonly #settings: CreationSettings;
  readonly #attempt: AbortController;
  readonly #readySeconds: number;
  /** The engine's id, once there is something to remove. */
  #made: string | undefined;

  constructor(
    engine: EngineClient,
    spec: ContainerSpec,
    settings: CreationSettings,
    attempt: AbortController,
  ) {
    this.#engine = engine;
    this.#spec = spec;
    this.#settings = settings;
    this.#attempt = attempt;
    this.#readySeconds = settings.agentReadySeconds ?? READY_SECONDS;
  }

  async run(): Promise<void> {
    try {
      await this.#steps();
    } catch (error) {
      if (isRefusal(error, 409)) throw await this.#nameTaken(error);
      throw await clearedUp(asFailure(createFailure(error, this.#spec.image)), () => this.#clear(error));
    }
  }

  // Calls to the engine run to their end even when aborted: cut short, they would leave it open what was made.
  async #steps(): Promise<void> {
    const { user, folder, features } = this.#settings;
    const writer = features.remapsUsers ? undefined : user;
    await folder.prepare(writer);
    this.#made = await this.#engine.create(this.#spec.id, this.#createOptions());
    this.#attempt.signal.throwIfAborted();
    await this.#start(this.#made);
    await this.#takeAgentSocket(this.#made, writer);
  }

  #createOptions() {
    const { user, folder, features, apparmorProfile } = this.#settings;
    const labels = labelsFor(this.#spec, this.#settings, new Date());
    return createOptions(this.#spec, { user, labels, folder, engine: features, apparmorProfile });
  }

  async #start(made: string): Promise<void> {
    try {
      await this.#engine.start(made);
    } catch (error) {
      // Not the image: that was there a moment ago, at the create.
      if (isRefusal(error))
        throw new BerthError('CONTAINER_CREATE_FAILED', `the engine said: ${error.message}`, {}, error);
      throw error;
    }
  }

  async #takeAgentSocket(made: string, owner: User | undefined): Promise<void> {
    const starting = { engineId: made, name: this.#spec.id, until: 'its agent was ready' };
    await whileItRuns(this.#engine, starting, this.#attempt, () =>
      this.#settings.folder.takeAgentSocket(owner, this.#readySeconds, this.#attempt.signal),
    );
  }

  async #clear(error: unknown): Promise<void> {
    const unheard = isBerthError(error, 'BACKEND_UNAVAILABLE');
    const made = this.#made ?? (unheard ? await this.#madeUnheard() : undefined);
    if (made !== undefined) await removeContainer(this.#engine, made, 0);
    await this.#settings.folder.remove();
  }

  /** Someone else was faster, and what is there now is theirs. */
  async #nameTaken(cause: unknown): Promise<BerthError> {
    const { id } = this.#spec;
    const labels = (await this.#engine.inspect(id))?.Config.Labels ?? {};
    return new BerthError('CONTAINER_CREATE_FAILED', takenBy(id, labels), {}, cause);
  }

  /** What the engine made though its answer never came. Once started it is not ours: this attempt got no further. */
  async #madeUnheard(): Promise<string | undefined> {
    const found = await this.#engine.inspect(this.#spec.id);
    const ours =
      found !== undefined && ownRole(found.Config.Labels, this.#settings.installation) === this.#spec.role;
    return ours && found.State.Status === 'created' ? found.Id : undefined;
  }
}
