import { ApiError } from './api.js';
import { lastingEvents } from './events.js';

/** @import { Overview } from '../api-types.js' */

/** The one overview that the whole page lives from: its stream is open as long as somebody is signed in. */
class Live {
  /** @type {Overview | undefined} */
  overview;
  connected = true;
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #ending = new AbortController();

  /** Follows the service with the key that is held. */
  start() {
    this.stop();
    this.#ending = new AbortController();
    void this.#follow(this.#ending.signal);
  }

  stop() {
    this.#ending.abort();
    this.overview = undefined;
  }

  /**
   * Told at once if something is known, and whenever it changes, until the signal ends it.
   * @param {AbortSignal} signal
   * @param {(overview: Overview) => void} listener
   */
  listen(signal, listener) {
    const tell = () => this.overview !== undefined && listener(this.overview);
    this.#listeners.add(tell);
    signal.addEventListener('abort', () => this.#listeners.delete(tell), { once: true });
    tell();
  }

  /** @param {AbortSignal} signal */
  async #follow(signal) {
    const connected = (/** @type {boolean} */ is) => {
      if (this.connected === is) return;
      this.connected = is;
      this.#tell();
    };
    try {
      const stream = lastingEvents('GET /v1/overview', { request: () => ({}), signal, connected });
      for await (const { event, data } of stream) {
        if (event !== 'overview' || signal.aborted) continue;
        this.overview = data;
        this.#tell();
      }
    } catch (error) {
      // A key that was taken back leads to the sign-in by itself.
      if (!(error instanceof ApiError)) throw error;
    }
  }

  #tell() {
    for (const listener of this.#listeners) listener();
  }
}

export const live = new Live();
