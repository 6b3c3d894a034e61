import type { ContainerBackend } from './container-backend.ts';
import type { ImageBuild } from './image-preparation.ts';

interface Supply {
  done: Promise<void>;
  listeners: Set<(line: string) => void>;
}

/** Gets the images that users name: there already, built here where they are ours, or pulled. Each once at a time. */
export class ImageSupply {
  readonly #backend: Pick<ContainerBackend, 'hasImage' | 'pullImage'>;
  readonly #builds: ReadonlyMap<string, ImageBuild>;
  readonly #underWay = new Map<string, Supply>();
  readonly #closing = new AbortController();

  constructor(parts: {
    backend: Pick<ContainerBackend, 'hasImage' | 'pullImage'>;
    /** By the image's exact name. */
    builds: ReadonlyMap<string, ImageBuild>;
  }) {
    this.#backend = parts.backend;
    this.#builds = parts.builds;
  }

  /** Resolves once the backend has it. Who waits no longer leaves the rest to the others. Throws `IMAGE_PULL_FAILED`. */
  async get(image: string, onProgress: (line: string) => void, signal: AbortSignal): Promise<void> {
    if (await this.#backend.hasImage(image, 'workspace')) return;
    signal.throwIfAborted();
    const supply = this.#underWay.get(image) ?? this.#begin(image);
    supply.listeners.add(onProgress);
    const given = Promise.withResolvers<never>();
    const giveUp = () => given.reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await Promise.race([supply.done, given.promise]);
    } finally {
      signal.removeEventListener('abort', giveUp);
      supply.listeners.delete(onProgress);
    }
  }

  /** Ends the builds under way. */
  close(): void {
    this.#closing.abort();
  }

  #begin(image: string): Supply {
    const listeners = new Set<(line: string) => void>();
    const tell = (line: string) => {
      for (const listener of listeners) listener(line);
    };
    const build = this.#builds.get(image);
    const work =
      build === undefined ? this.#backend.pullImage(image, tell) : build(tell, this.#closing.signal);
    const done = work.finally(() => this.#underWay.delete(image));
    done.catch(() => {}); // told to those who wait
    const supply = { done, listeners };
    this.#underWay.set(image, supply);
    return supply;
  }
}
