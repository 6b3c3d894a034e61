import type { Logger } from 'pino';
import type { ContainerId } from '../contracts/ids.ts';
import type { State } from '../state/state.ts';
import { allRecords } from '../sweep/all-records.ts';
import { sideBySide } from '../sweep/side-by-side.ts';

const SIDE_BY_SIDE = 16;

interface Parts {
  state: Pick<State, 'conversations' | 'warmPool'>;
  egress: {
    answers(container: ContainerId): Promise<boolean>;
    reopen(container: ContainerId): Promise<void>;
    look(): Promise<void>;
  };
  /** Containers of others that need a way out, too. */
  others: () => Promise<ContainerId[]>;
  log: Logger;
}

/** Gives containers whose proxy went with another instance their way out back. Every instance does. */
export class EgressWatch {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async runOnce(): Promise<void> {
    await this.#parts.egress.look();
    await sideBySide(SIDE_BY_SIDE, this.#containers(), (container) => this.#visit(container));
  }

  async *#containers(): AsyncGenerator<ContainerId> {
    const { state } = this.#parts;
    for await (const record of allRecords(state.conversations)) {
      // Who prepares it opens it.
      if (record.status !== 'preparing') yield record.container;
    }
    for (const { container } of (await state.warmPool.look()).members) yield container;
    yield* await this.#parts.others();
  }

  async #visit(container: ContainerId): Promise<void> {
    const { egress, log } = this.#parts;
    if (await egress.answers(container)) return;
    try {
      await egress.reopen(container);
      log.info({ container_id: container }, 'opened the way out of a container that had lost it');
    } catch (error) {
      // Gone meanwhile, or it is tried again at the next round.
      log.debug({ err: error, container_id: container }, 'a container has no way out');
    }
  }
}
