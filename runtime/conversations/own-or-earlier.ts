import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { BerthError, isBerthError } from '../contracts/errors.ts';
import type { BegunElsewhere } from '../pool/member-creation.ts';
import type { WaitingClaims } from '../pool/waiting-claims.ts';
import { AdoptionNeeded } from '../state/adoption-store.ts';
import type { ConversationStore } from '../state/conversation-store.ts';
import type { ContainerCreation } from './container-creation.ts';

interface Parts {
  store: ConversationStore;
  creation: ContainerCreation;
  /** Whether it takes so long to start one that a member of the pool may come first. */
  startsSlowly: boolean;
  waiting: WaitingClaims;
  /** Makes a member of what was begun for a conversation. */
  pool: { takeOver(begun: BegunElsewhere): void };
  instance: string;
}

/**
 * Makes a conversation's container. Where that takes long it is made as nobody's, and when the pool has a member
 * before, the conversation gets that, and the pool what is being made.
 */
export class OwnOrEarlier {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Undefined: it is there. Otherwise the record, bound to a member of the pool. */
  async create(
    record: ConversationRecord,
    lease: { owner: string; leaseSeconds: number },
    signal: AbortSignal,
  ): Promise<ConversationRecord | undefined> {
    const { creation, startsSlowly, waiting, pool } = this.#parts;
    if (!startsSlowly) {
      await creation.create(record.container, record, signal);
      return undefined;
    }
    const making = new AbortController();
    const giveUp = () => making.abort(signal.reason);
    signal.addEventListener('abort', giveUp);
    const since = performance.now();
    try {
      signal.throwIfAborted();
      const made = creation.create(record.container, undefined, making.signal);
      const exchange = new Exchange(this.#parts, record, lease);
      const instead = (await waiting.wait(() => exchange.ask(), made)) ?? (await exchange.settled());
      if (instead === undefined) await made;
      else pool.takeOver({ container: record.container, since, made: (stop) => until(made, stop, making) });
      return instead;
    } catch (error) {
      making.abort(error);
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }
}

/** One record's exchange. An answer that got lost is asked for again. */
class Exchange {
  readonly #parts: Parts;
  readonly #record: ConversationRecord;
  readonly #lease: { owner: string; leaseSeconds: number };
  #unsure = false;

  constructor(parts: Parts, record: ConversationRecord, lease: { owner: string; leaseSeconds: number }) {
    this.#parts = parts;
    this.#record = record;
    this.#lease = lease;
  }

  async ask(): Promise<ConversationRecord | undefined> {
    const { store, instance } = this.#parts;
    try {
      const result = await store.exchange({ ...this.#record, ...this.#lease, starter: instance });
      this.#unsure = false;
      if (result.kind === 'stale')
        throw new BerthError('START_TIMEOUT', 'the preparation took too long and was given up');
      return result.kind === 'claimed' ? result.record : undefined;
    } catch (error) {
      if (error instanceof AdoptionNeeded) return undefined; // nothing changed
      if (!isBerthError(error, 'STORE_UNAVAILABLE')) throw error;
      this.#unsure = true;
      return undefined;
    }
  }

  /** What became of the last question. */
  async settled(): Promise<ConversationRecord | undefined> {
    return this.#unsure ? this.ask() : undefined;
  }
}

function until(made: Promise<void>, stop: AbortSignal, making: AbortController): Promise<void> {
  if (stop.aborted) making.abort(stop.reason);
  stop.addEventListener('abort', () => making.abort(stop.reason), { once: true });
  return made;
}
