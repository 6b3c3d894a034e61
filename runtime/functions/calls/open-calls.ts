import { BerthError } from '../../contracts/errors.ts';

/** The calls under way, with what is done after them, so that a runtime that stops sees them to their end. */
export class OpenCalls {
  readonly #calls = new Set<AbortController>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;

  /** The call's signal is the client's, or says that the service is shutting down: then it is not begun. */
  async run(client: AbortSignal, call: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#closed) throw shuttingDown();
    const given = new AbortController();
    const leave = () => given.abort(client.reason);
    client.addEventListener('abort', leave, { once: true });
    if (client.aborted) leave();
    this.#calls.add(given);
    try {
      await this.follow(call(given.signal));
    } finally {
      this.#calls.delete(given);
      client.removeEventListener('abort', leave);
    }
  }

  /** What belongs to a call, and goes on after it. */
  follow<Result>(work: Promise<Result>): Promise<Result> {
    this.#underWay.add(work);
    const over = () => this.#underWay.delete(work);
    work.then(over, over);
    return work;
  }

  /** Begins no more, and resolves when those under way are over. Who is not after so long is told to give up. */
  async close(seconds: number, cleanUpSeconds: number): Promise<void> {
    this.#closed = true;
    if (await this.#settles(seconds)) return;
    for (const call of this.#calls) call.abort(shuttingDown());
    await this.#settles(cleanUpSeconds);
  }

  async #settles(seconds: number): Promise<boolean> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => late.resolve(), seconds * 1000);
    let isLate = false;
    const over = late.promise.then(() => {
      isLate = true;
    });
    while (this.#underWay.size > 0 && !isLate) {
      await Promise.race([Promise.allSettled(this.#underWay), over]);
    }
    clearTimeout(timer);
    return this.#underWay.size === 0;
  }
}

function shuttingDown(): BerthError {
  return new BerthError('SHUTTING_DOWN', 'the service is shutting down', { retry_after: 1 });
}
