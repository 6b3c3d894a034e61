import { BerthError, isBerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';

/** One thing at a time happens to a container, in the order it was asked for. A destroy ends a creation first. */
export class Turns {
  readonly #last = new Map<ContainerId, Promise<unknown>>();
  readonly #creations = new Map<ContainerId, AbortController>();

  /**
   * `make` is given what its attempt fails by: it heeds the signal, and may abort it itself.
   * Whatever it throws comes out as a `BerthError`.
   */
  async create(
    id: ContainerId,
    signal: AbortSignal | undefined,
    make: (attempt: AbortController) => Promise<void>,
  ): Promise<void> {
    const attempt = new AbortController();
    const onAbort = () => attempt.abort(givenUp(id, signal?.reason));
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    try {
      await this.#turn(id, async () => {
        attempt.signal.throwIfAborted();
        this.#creations.set(id, attempt);
        await make(attempt).finally(() => this.#creations.delete(id));
      });
    } catch (error) {
      throw asFailure(error);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async destroy(id: ContainerId, remove: () => Promise<void>): Promise<void> {
    this.#abort(id, `${id} was destroyed while it was being made`);
    await this.#turn(id, remove);
  }

  close(): void {
    for (const id of this.#creations.keys()) this.#abort(id, 'the backend is closing');
  }

  #abort(id: ContainerId, why: string): void {
    this.#creations.get(id)?.abort(new BerthError('CONTAINER_CREATE_FAILED', why));
  }

  async #turn<T>(id: ContainerId, act: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(id) ?? Promise.resolve()).then(act, act);
    this.#last.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(id) === mine) this.#last.delete(id);
    }
  }
}

/** What made a creation fail, if nobody put it in our words yet. */
export function asFailure(error: unknown): BerthError {
  if (isBerthError(error)) return error;
  const words = error instanceof Error ? error.message : String(error);
  return new BerthError('CONTAINER_CREATE_FAILED', words, {}, error);
}

/** Removes what a failed creation made, and returns the failure to throw. */
export async function clearedUp(failure: BerthError, clear: () => Promise<void>): Promise<BerthError> {
  try {
    await clear();
    return failure;
  } catch (error) {
    const detail = `${failure.detail}; what was made could not be removed yet: ${asFailure(error).detail}`;
    return new BerthError(failure.code, detail, failure.fields, failure);
  }
}

function givenUp(id: ContainerId, reason: unknown): BerthError {
  if (isBerthError(reason)) return reason;
  return new BerthError('CONTAINER_CREATE_FAILED', `making ${id} was given up`, {}, reason);
}
