import { BerthError, type ErrorCode } from '../../contracts/errors.ts';
import type { VolumeName } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import { attachedRun } from '../attached-run.ts';
import type { Installation } from '../ownership.ts';
import type { VolumeJob, VolumeRun } from '../volume-run.ts';
import { VolumeRuns } from '../volume-runs.ts';
import { removeContainer } from './container-removal.ts';
import type { EngineClient } from './engine-client.ts';
import { callFailure, isRefusal, unavailable } from './engine-errors.ts';
import type { EngineFeatures } from './engine-replies.ts';
import { helperOptions } from './helper-options.ts';
import type { VolumeCalls } from './volume-calls.ts';

export interface HelperSettings extends Installation {
  /** Has bash, GNU tar, coreutils and findutils. */
  image: string;
  apparmorProfile?: string | undefined;
  features: () => Promise<EngineFeatures>;
}

export interface HelperTask extends VolumeJob {
  /** What a refusal of the engine is. */
  failure: ErrorCode;
  /** Throws where the volume that the helper holds is not the one that was meant. */
  check: () => Promise<void>;
}

/** Others may be at it at the same time; the last one gets through. */
const ATTEMPTS = 5;

/** The engine gives the output of one that it kills some time to be read, and a runtime that sleeps reads nothing. */
const REMOVE_SECONDS = 60;

/** Containers that work on the files of volumes, one a volume: its name sees to that, for all runtimes of an engine. */
export class VolumeHelper {
  readonly #engine: EngineClient;
  readonly #calls: VolumeCalls;
  readonly #settings: HelperSettings;
  /** Of this process; others' are known by their name alone. */
  readonly #runs = new VolumeRuns();

  constructor(engine: EngineClient, calls: VolumeCalls, settings: HelperSettings) {
    this.#engine = engine;
    this.#calls = calls;
    this.#settings = settings;
  }

  /** Ends whatever else is being done to the volume, then starts. */
  async start(task: HelperTask): Promise<VolumeRun> {
    const id = await this.#create(task);
    const run = await this.#begin(id, task).catch(async (error) => {
      await this.#remove(id).catch(() => {}); // the next call on the volume does it
      throw refused(error, task.failure);
    });
    this.#runs.add(task.volume, run);
    return run;
  }

  /** Attached first, and looked after from then on: a connection that breaks meanwhile is an end like any other. */
  async #begin(id: string, task: HelperTask): Promise<VolumeRun> {
    await task.check();
    const connection = await this.#calls.attach(id);
    const { host } = this.#engine;
    const name = helperName(task.volume);
    const run = attachedRun({
      connection,
      exitCode: () => this.#exitCode(id, name),
      broken: (error) => unavailable(`the streams of ${name}`, host, error.message, error),
      remove: () => this.#remove(id),
    });
    try {
      await this.#engine.start(id);
    } catch (error) {
      connection.destroy();
      throw error;
    }
    return run;
  }

  /** Also what a runtime that is gone had begun. */
  async end(volume: VolumeName): Promise<void> {
    const name = helperName(volume);
    await this.#runs.end(volume);
    const found = await this.#engine.inspect(name).catch((error) => {
      throw callFailure(error, name);
    });
    if (found === undefined) return;
    const labels = found.Config.Labels;
    if (labels[LABEL.installation] !== this.#settings.installation || labels[LABEL.partOf] !== volume) {
      throw new BerthError('ARCHIVE_FAILED', `the name ${name} belongs to something else`);
    }
    await this.#remove(found.Id);
  }

  async #exitCode(id: string, name: string): Promise<number | undefined> {
    try {
      return await this.#calls.exitCode(id);
    } catch (error) {
      if (isRefusal(error, 404)) return undefined;
      if (!isRefusal(error)) throw error;
      throw unavailable(`waiting for ${name}`, this.#engine.host, error.message, error);
    }
  }

  #remove(id: string): Promise<void> {
    return removeContainer(this.#engine, id, 0, REMOVE_SECONDS);
  }

  async #create({ volume, script, args, failure }: HelperTask): Promise<string> {
    const { image, installation, version, apparmorProfile, features } = this.#settings;
    const labels = {
      [LABEL.installation]: installation,
      [LABEL.createdAt]: new Date().toISOString(),
      [LABEL.version]: version,
    };
    const engine = await features();
    const options = helperOptions({ image, volume, script, args, labels }, { engine, apparmorProfile });
    for (let attempt = 1; ; attempt += 1) {
      await this.end(volume);
      try {
        return await this.#engine.create(helperName(volume), options);
      } catch (error) {
        if (!isRefusal(error, 409) || attempt === ATTEMPTS) throw refused(error, failure);
      }
    }
  }
}

/** No container of ours can have it: theirs begin with `ws-`. */
function helperName(volume: VolumeName): string {
  return `berth-helper.${volume}`;
}

function refused(error: unknown, code: ErrorCode): unknown {
  if (!isRefusal(error)) return error;
  return new BerthError(code, `the engine said: ${error.message}`, {}, error);
}
