import type { Logger } from 'pino';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerBackend } from './container-backend.ts';

export type ImageBuild = (onProgress: (line: string) => void, signal: AbortSignal) => Promise<void>;

type State =
  | { kind: 'unknown' }
  | { kind: 'preparing' }
  | { kind: 'ready' }
  | { kind: 'failed'; detail: string; at: number };

const RETRY_AFTER_SECONDS = 10;
const TRY_AGAIN_MS = 30_000;

/** Sees to it that the backend has an image: there already, built here, or pulled. */
export class ImagePreparation {
  readonly #backend: ContainerBackend;
  readonly #image: string;
  readonly #build: ImageBuild | undefined;
  readonly #log: Logger;
  #state: State = { kind: 'unknown' };
  #attempt: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(parts: {
    backend: ContainerBackend;
    image: string;
    /** Builds it from the sources, where those are at hand. */
    build: ImageBuild | undefined;
    log: Logger;
  }) {
    this.#backend = parts.backend;
    this.#image = parts.image;
    this.#build = parts.build;
    this.#log = parts.log;
  }

  /** Whether it is there already is known before the first call comes. */
  async look(): Promise<void> {
    if (await this.#backend.hasImage(this.#image)) {
      this.#state = { kind: 'ready' };
      this.#refresh();
    }
  }

  get isReady(): boolean {
    return this.#state.kind === 'ready';
  }

  /** A container could not be made for want of the image: it has been removed since. */
  lost(): void {
    if (this.#state.kind !== 'ready') return;
    this.#state = { kind: 'unknown' };
    void this.start();
  }

  /** Ends a build under way. */
  close(): void {
    this.#closing.abort();
  }

  /** Resolves when the attempt is over, whatever became of it. */
  start(): Promise<void> {
    if (this.#state.kind === 'preparing' || this.#state.kind === 'ready') return this.#attempt;
    this.#state = { kind: 'preparing' };
    this.#attempt = this.#prepare().then(
      () => {
        this.#state = { kind: 'ready' };
      },
      (error) => {
        if (this.#closing.signal.aborted) return;
        const detail = error instanceof BerthError ? error.detail : String(error);
        this.#state = { kind: 'failed', detail, at: performance.now() };
        this.#log.error(
          { image: this.#image, detail },
          "the image can't be had; calls get IMAGE_PULL_FAILED until it can",
        );
      },
    );
    return this.#attempt;
  }

  /** Throws unless the image is there. A failure is tried again after a while. */
  require = (): void => {
    const state = this.#state;
    if (state.kind === 'ready') return;
    if (state.kind === 'failed') {
      if (performance.now() - state.at > TRY_AGAIN_MS) void this.start();
      throw new BerthError('IMAGE_PULL_FAILED', state.detail);
    }
    throw new BerthError('IMAGE_PREPARING', `${this.#image} is being prepared; the log shows the progress`, {
      retry_after: RETRY_AFTER_SECONDS,
    });
  };

  async #prepare(): Promise<void> {
    if (await this.#backend.hasImage(this.#image)) return;
    this.#log.info(
      { image: this.#image },
      this.#build === undefined ? 'pulling the image' : 'building the image',
    );
    const onProgress = (line: string) => this.#log.info({ image: this.#image }, line);
    if (this.#build === undefined) await this.#backend.pullImage(this.#image, onProgress);
    else await this.#build(onProgress, this.#closing.signal);
    this.#log.info({ image: this.#image }, 'the image is ready');
  }

  /** Where the sources are at hand they may have changed: built beside the service, and used once it is there. */
  #refresh(): void {
    const onProgress = (line: string) => this.#log.debug({ image: this.#image }, line);
    this.#build?.(onProgress, this.#closing.signal).catch((error) => {
      if (this.#closing.signal.aborted) return;
      this.#log.warn(
        { err: error, image: this.#image },
        'the image is there, but could not be brought up to date',
      );
    });
  }
}
