import type { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';

/** One piece of work of this instance, from when it is asked for until its end is recorded. */
export class WorkPiece implements Disposable {
  /** Known once the conversation has one. */
  container: ContainerId | undefined;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #onEnd: (piece: WorkPiece) => void;

  constructor(caller: AbortSignal, onEnd: (piece: WorkPiece) => void) {
    this.#caller = caller;
    this.#onEnd = onEnd;
    caller.addEventListener('abort', this.#onCallerGone);
    if (caller.aborted) this.#onCallerGone();
  }

  /** Aborts when the caller goes, and when the work is stopped. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    this.#caller.removeEventListener('abort', this.#onCallerGone);
    this.#onEnd(this);
  }

  readonly #onCallerGone = (): void => this.stop(this.#caller.reason);
}

/** What this instance has in flight, so that it can be waited for and cancelled. */
export class ActiveWork {
  readonly #pieces = new Set<WorkPiece>();
  readonly #waiting = new Set<() => void>();

  get size(): number {
    return this.#pieces.size;
  }

  /** In flight until it is disposed. */
  begin(caller: AbortSignal): WorkPiece {
    const piece = new WorkPiece(caller, this.#onEnd);
    this.#pieces.add(piece);
    return piece;
  }

  cancel(container: ContainerId, reason: BerthError): void {
    for (const piece of this.#pieces) if (piece.container === container) piece.stop(reason);
  }

  cancelAll(reason: BerthError): void {
    for (const piece of this.#pieces) piece.stop(reason);
  }

  /** Resolves true once nothing is in flight, or false after `ms`. */
  async settle(ms: number): Promise<boolean> {
    if (this.size === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), ms);
    const wake = () => {
      if (this.size === 0) resolve(true);
    };
    this.#waiting.add(wake);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(wake);
    }
  }

  readonly #onEnd = (piece: WorkPiece): void => {
    this.#pieces.delete(piece);
    for (const wake of this.#waiting) wake();
  };
}
