import { setTimeout as delay } from 'node:timers/promises';
import { ERRORS, isBerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';

/** What it takes to make a member. */
export interface MemberPort {
  newId(): ContainerId;
  /** A place for it, as long as the pool comes to `upTo` at most. */
  reserve(container: ContainerId, upTo: number): Promise<'reserved' | 'full' | 'no-room'>;
  /** Renews the place until disposed; `onLost` tells that it is another's to end by now. */
  renew(container: ContainerId, onLost: () => void): Disposable;
  create(container: ContainerId, signal: AbortSignal): Promise<void>;
  /** That it is well, and nobody's. */
  prove(container: ContainerId, signal: AbortSignal): Promise<void>;
  /** From its place into the pool. */
  add(container: ContainerId): Promise<'done' | 'stale'>;
  /** Ends whatever was made and gives its place back. */
  destroy(container: ContainerId): Promise<void>;
}

/** A container that is being made, for someone who has no need of it any more. */
export interface BegunElsewhere {
  container: ContainerId;
  /** When it was begun, by `performance.now()`. */
  since: number;
  /** Resolves once it is there; the signal gives it up. */
  made(signal: AbortSignal): Promise<void>;
}

export type Begun =
  | { kind: 'full' }
  | { kind: 'no-room' }
  /** Its place is reserved. `ended` never rejects. */
  | { kind: 'begun'; ended: Promise<MemberOutcome> };

export type MemberOutcome =
  /** `seconds`: from its first reservation into the pool. */
  | { kind: 'added'; container: ContainerId; seconds: number }
  /** Nothing of it is left; where it could not be cleared away yet, its place stays, and lapses. */
  | { kind: 'failed'; container: ContainerId; error: unknown; notCleared?: unknown }
  /** The store did not say whether it took it in. If it did not, its place lapses, and it is ended as anyone's is. */
  | { kind: 'unsure'; container: ContainerId; error: unknown }
  | { kind: 'given-up'; container: ContainerId; notCleared?: unknown };

export interface Pace {
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

const REAL_TIME: Pace = {
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
  random: Math.random,
};

const ATTEMPTS = 3;
const FIRST_WAIT_MS = 2000;

/** Makes members: reserve, create, prove, add. What a failure leaves is cleared away, and it is tried anew. */
export class MemberCreation {
  readonly #port: MemberPort;
  readonly #pace: Pace;

  constructor(port: MemberPort, pace = REAL_TIME) {
    this.#port = port;
    this.#pace = pace;
  }

  /** Returns once the place is reserved, so that the next look at the pool counts it. Throws as the store does. */
  async begin(upTo: number, signal: AbortSignal): Promise<Begun> {
    const container = this.#port.newId();
    const place = await this.#port.reserve(container, upTo);
    if (place !== 'reserved') return { kind: place };
    return { kind: 'begun', ended: this.#attempts(container, upTo, signal) };
  }

  /** Goes on with one that is being made already, in a place that is reserved for it. */
  async takeOver({ container, since, made }: BegunElsewhere, signal: AbortSignal): Promise<MemberOutcome> {
    const create = async (stop: AbortSignal) => {
      await made(stop);
      await this.#port.prove(container, stop);
    };
    return timed(since, await this.#attempt(container, create, 0, signal));
  }

  /** Each attempt has a container and a place of its own: nothing is made upon the ruins of the one before. */
  async #attempts(first: ContainerId, upTo: number, signal: AbortSignal): Promise<MemberOutcome> {
    const began = performance.now();
    let outcome = await this.#make(first, 0, signal);
    for (let attempt = 1; attempt < ATTEMPTS && canBeRepeated(outcome); attempt += 1) {
      const container = await this.#anotherPlace(upTo);
      if (container === undefined) return outcome;
      outcome = await this.#make(container, this.#waitMs(attempt), signal);
    }
    return timed(began, outcome);
  }

  #make(container: ContainerId, waitMs: number, signal: AbortSignal): Promise<MemberOutcome> {
    const create = async (stop: AbortSignal) => {
      await this.#port.create(container, stop);
      await this.#port.prove(container, stop);
    };
    return this.#attempt(container, create, waitMs, signal);
  }

  async #attempt(
    container: ContainerId,
    create: (stop: AbortSignal) => Promise<void>,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<MemberOutcome> {
    const lost = new AbortController();
    using _renewal = this.#port.renew(container, () => lost.abort(new PlaceLost()));
    const stop = AbortSignal.any([signal, lost.signal]);
    try {
      if (waitMs > 0) await this.#pace.sleep(waitMs, stop);
      stop.throwIfAborted();
      await create(stop);
      stop.throwIfAborted();
    } catch (error) {
      if (signal.aborted) return { kind: 'given-up', container, ...(await this.#clear(container)) };
      const cause = lost.signal.aborted ? lost.signal.reason : error;
      return { kind: 'failed', container, error: cause, ...(await this.#clear(container)) };
    }
    return this.#add(container);
  }

  /** Once the store may have it, it may be someone's: only a plain refusal allows to end it. */
  async #add(container: ContainerId): Promise<MemberOutcome> {
    try {
      if ((await this.#port.add(container)) === 'done') return { kind: 'added', container, seconds: 0 };
    } catch (error) {
      return { kind: 'unsure', container, error };
    }
    return { kind: 'failed', container, error: new PlaceLost(), ...(await this.#clear(container)) };
  }

  async #clear(container: ContainerId): Promise<{ notCleared?: unknown }> {
    return this.#port.destroy(container).then(
      () => ({}),
      (error: unknown) => ({ notCleared: error }),
    );
  }

  /** None where it is refused, or the store is away: then someone else fills the pool, or a later turn. */
  async #anotherPlace(upTo: number): Promise<ContainerId | undefined> {
    const container = this.#port.newId();
    const place = await this.#port.reserve(container, upTo).catch(() => undefined);
    return place === 'reserved' ? container : undefined;
  }

  #waitMs(attempt: number): number {
    return FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.8 + 0.4 * this.#pace.random());
  }
}

class PlaceLost extends Error {
  constructor() {
    super('its place lapsed before it was ready');
    this.name = 'PlaceLost';
  }
}

function timed(began: number, outcome: MemberOutcome): MemberOutcome {
  if (outcome.kind !== 'added') return outcome;
  return { ...outcome, seconds: (performance.now() - began) / 1000 };
}

function canBeRepeated(outcome: MemberOutcome): boolean {
  if (outcome.kind !== 'failed' || outcome.notCleared !== undefined) return false;
  return !isBerthError(outcome.error) || ERRORS[outcome.error.code].retryable;
}
