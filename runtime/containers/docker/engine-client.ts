import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ContainerCreateOptions } from 'dockerode';
import { z } from 'zod';
import { LastBytes } from '../last-bytes.ts';
import { LogFrames } from '../log-frames.ts';
import { EngineConnection, type EngineRequest } from './engine-connection.ts';
import { isRefusal, unavailable } from './engine-errors.ts';
import { InfoReply, InspectReply, ListReply, StatsReply, VolumeReply } from './engine-replies.ts';

const DEFAULT_HOST = 'unix:///var/run/docker.sock';
/** For what takes its time on a busy machine. */
const START_SECONDS = 30;
/** Longest that a pull may take. */
const PULL_SECONDS = 1800;
const LOG_BYTES = 1024 * 1024;

/** The engine's calls that we make. Containers are named by the engine's id or by name. */
export class EngineClient {
  readonly host: string;
  readonly #engine: EngineConnection;

  constructor(host: string = DEFAULT_HOST) {
    this.host = host;
    this.#engine = new EngineConnection(host);
  }

  async ping(): Promise<void> {
    await this.#engine.request({ method: 'GET', path: '/_ping', seconds: 5 });
  }

  info(): Promise<z.infer<typeof InfoReply>> {
    return this.#parsed(InfoReply, { method: 'GET', path: '/info' });
  }

  /** Undefined: there is none. */
  async inspect(container: string): Promise<InspectReply | undefined> {
    try {
      return await this.#parsed(InspectReply, { method: 'GET', path: `/containers/${container}/json` });
    } catch (error) {
      if (isRefusal(error, 404)) return undefined;
      throw error;
    }
  }

  /** All that carry these labels, also those that don't run. */
  list(labels: Readonly<Record<string, string>>): Promise<ListReply> {
    const filters = { label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) };
    return this.#parsed(ListReply, {
      method: 'GET',
      path: '/containers/json',
      query: { all: true, filters },
    });
  }

  /** Resolves with the engine's id. */
  async create(name: string, options: ContainerCreateOptions): Promise<string> {
    const request = {
      method: 'POST',
      path: '/containers/create',
      query: { name },
      body: options,
      seconds: START_SECONDS,
    } as const;
    return (await this.#parsed(z.object({ Id: z.string() }), request)).Id;
  }

  async start(container: string): Promise<void> {
    await this.#engine.request({
      method: 'POST',
      path: `/containers/${container}/start`,
      seconds: START_SECONDS,
    });
  }

  async stop(container: string, stopSeconds: number): Promise<void> {
    const query = { t: stopSeconds };
    await this.#engine.request({
      method: 'POST',
      path: `/containers/${container}/stop`,
      query,
      seconds: stopSeconds + 10,
    });
  }

  async kill(container: string): Promise<void> {
    await this.#engine.request({ method: 'POST', path: `/containers/${container}/kill` });
  }

  /** Kills it if it runs, and removes it with its anonymous volumes. */
  async rename(container: string, name: string): Promise<void> {
    const path = `/containers/${container}/rename`;
    await this.#engine.request({ method: 'POST', path, query: { name } });
  }

  async remove(container: string, seconds?: number): Promise<void> {
    await this.#engine.request({
      method: 'DELETE',
      path: `/containers/${container}`,
      query: { force: true, v: true },
      ...(seconds === undefined ? {} : { seconds }),
    });
  }

  async pause(container: string): Promise<void> {
    await this.#engine.request({ method: 'POST', path: `/containers/${container}/pause` });
  }

  async unpause(container: string): Promise<void> {
    await this.#engine.request({ method: 'POST', path: `/containers/${container}/unpause` });
  }

  stats(container: string): Promise<z.infer<typeof StatsReply>> {
    const query = { stream: false, 'one-shot': true };
    return this.#parsed(StatsReply, { method: 'GET', path: `/containers/${container}/stats`, query });
  }

  /** The last lines of stdout and stderr, at most 1 MiB of them. */
  logs(container: string, tail: number): Promise<string> {
    const query = { stdout: true, stderr: true, tail };
    return this.#engine.read(
      { method: 'GET', path: `/containers/${container}/logs`, query },
      async (pieces) => {
        const frames = new LogFrames();
        const end = new LastBytes(LOG_BYTES);
        for await (const piece of pieces) {
          for (const text of frames.read(piece)) end.add(text);
        }
        return end.toString();
      },
    );
  }

  async hasImage(image: string): Promise<boolean> {
    const name = image.split('/').map(encodeURIComponent).join('/');
    try {
      await this.#engine.request({ method: 'GET', path: `/images/${name}/json` });
      return true;
    } catch (error) {
      if (isRefusal(error, 404)) return false;
      throw error;
    }
  }

  /** Undefined: there is none. */
  async volumeLabels(volume: string): Promise<Readonly<Record<string, string>> | undefined> {
    try {
      return (await this.#parsed(VolumeReply, { method: 'GET', path: `/volumes/${volume}` })).Labels;
    } catch (error) {
      if (isRefusal(error, 404)) return undefined;
      throw error;
    }
  }

  async removeVolume(volume: string): Promise<void> {
    await this.#engine.request({ method: 'DELETE', path: `/volumes/${volume}` });
  }

  /** Reads the engine's account of a pull, one JSON value a line. */
  async pull(image: string, onLine: (line: string) => void): Promise<void> {
    const request = {
      method: 'POST',
      path: '/images/create',
      query: { fromImage: image },
      seconds: PULL_SECONDS,
    } as const;
    await this.#engine.read(request, async (pieces) => {
      for await (const line of createInterface({ input: Readable.from(pieces) })) onLine(line);
    });
  }

  close(): void {
    this.#engine.close();
  }

  async #parsed<T>(shape: z.ZodType<T>, request: EngineRequest): Promise<T> {
    const reply = shape.safeParse(await this.#engine.request(request));
    if (reply.success) return reply.data;
    const why = 'its reply has another shape than in the API of Docker';
    throw unavailable(`${request.method} ${request.path}`, this.host, why, reply.error);
  }
}
