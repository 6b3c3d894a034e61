import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { EngineConnection } from './engine-connection.ts';
import { isRefusal, unavailable } from './engine-errors.ts';

const Volume = z.object({
  Name: z.string(),
  Labels: z
    .record(z.string(), z.string())
    .nullish()
    .transform((labels) => labels ?? {}),
});
type Volume = z.infer<typeof Volume>;

const Volumes = z.object({ Volumes: z.array(Volume).nullish() });

const OTHERS_TURN_MS = 200;
const START_SECONDS = 30;
/** A volume of many files takes its time to remove. */
const REMOVE_SECONDS = 300;

/** The engine's calls for volumes, and for what works on them. */
export class VolumeCalls {
  readonly #engine: EngineConnection;

  constructor(host: string) {
    this.#engine = new EngineConnection(host);
  }

  /** One that is there is not changed; what it returns are the labels that it has. */
  create(name: string, labels: Record<string, string>): Promise<Volume> {
    const body = { Name: name, Driver: 'local', Labels: labels };
    return this.#parsed(Volume, '/volumes/create', 'POST', { body, seconds: START_SECONDS });
  }

  /** Undefined: there is none. */
  async inspect(name: string): Promise<Volume | undefined> {
    try {
      return await this.#parsed(Volume, `/volumes/${name}`, 'GET');
    } catch (error) {
      if (isRefusal(error, 404)) return undefined;
      throw error;
    }
  }

  /** All that carry these labels. */
  async list(labels: Readonly<Record<string, string>>): Promise<Volume[]> {
    const filters = { label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) };
    return (await this.#parsed(Volumes, '/volumes', 'GET', { query: { filters } })).Volumes ?? [];
  }

  async remove(name: string): Promise<void> {
    await this.#engine.request({ method: 'DELETE', path: `/volumes/${name}`, seconds: REMOVE_SECONDS });
  }

  /**
   * Removes those that carry these labels and that no container has. Of volumes with a name it must be told that they
   * are meant, too, by engines that know the word (API 1.42). It does so for one at a time.
   */
  async removeUnused(labels: Readonly<Record<string, string>>): Promise<void> {
    const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    const late = performance.now() + REMOVE_SECONDS * 1000;
    for (let filters: object = { label, all: ['true'] }; ; ) {
      try {
        const query = { filters };
        await this.#engine.request({
          method: 'POST',
          path: '/volumes/prune',
          query,
          seconds: REMOVE_SECONDS,
        });
        return;
      } catch (error) {
        if (isRefusal(error, 400) && 'all' in filters) filters = { label };
        else if (isRefusal(error, 409) && performance.now() < late) await sleep(OTHERS_TURN_MS);
        else throw error;
      }
    }
  }

  /** The stdin of a container that is not started yet, and both its outputs in the engine's frames. */
  attach(container: string): Promise<Duplex> {
    const query = { stream: 1, stdin: 1, stdout: 1, stderr: 1 };
    return this.#engine.upgrade({ method: 'POST', path: `/containers/${container}/attach`, query });
  }

  /** The exit code of one that is about to end. */
  async exitCode(container: string): Promise<number> {
    const shape = z.object({ StatusCode: z.number() });
    return (await this.#parsed(shape, `/containers/${container}/wait`, 'POST', { seconds: START_SECONDS }))
      .StatusCode;
  }

  close(): void {
    this.#engine.close();
  }

  async #parsed<T>(
    shape: z.ZodType<T>,
    path: string,
    method: 'GET' | 'POST',
    options: { body?: object; query?: Record<string, unknown>; seconds?: number } = {},
  ): Promise<T> {
    const reply = shape.safeParse(await this.#engine.request({ method, path, ...options }));
    if (reply.success) return reply.data;
    const why = 'its reply has another shape than in the API of Docker';
    throw unavailable(`${method} ${path}`, this.#engine.host, why, reply.error);
  }
}
