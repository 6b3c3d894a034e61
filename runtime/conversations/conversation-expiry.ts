import type { Logger } from 'pino';
import type { ConversationStore } from '../state/conversation-store.ts';
import type { ContainerEnding } from './container-ending.ts';
import type { ContainerRetirement } from './container-retirement.ts';
import type { ConversationSettings } from './conversation-settings.ts';
import { type ExpiryAction, planExpiry } from './plan-expiry.ts';

const AT_ONCE = 100;
const SIDE_BY_SIDE = 8;

/** Ends what has had its time: one look at what is due, a plan, and its actions. */
export class ConversationExpiry {
  readonly #store: ConversationStore;
  readonly #ending: ContainerEnding;
  readonly #retirement: ContainerRetirement;
  readonly #settings: ConversationSettings;
  readonly #log: Logger;

  constructor(parts: {
    store: ConversationStore;
    ending: ContainerEnding;
    retirement: ContainerRetirement;
    settings: ConversationSettings;
    log: Logger;
  }) {
    this.#store = parts.store;
    this.#ending = parts.ending;
    this.#retirement = parts.retirement;
    this.#settings = parts.settings;
    this.#log = parts.log;
  }

  async runOnce(): Promise<void> {
    const due = await this.#store.due(AT_ONCE);
    const actions = planExpiry(due, this.#settings.ttl, await this.#store.now());
    // A container that is slow to stop holds up one of these, not all that is due.
    const left = actions.values();
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => this.#actOnEach(left)));
  }

  async #actOnEach(actions: Iterable<ExpiryAction>): Promise<void> {
    for (const action of actions) {
      try {
        await this.#act(action);
        this.#log.info({ ...describe(action), reason: action.reason }, `expiry: ${action.kind}`);
      } catch (error) {
        this.#log.warn(
          { err: error, ...describe(action) },
          'a container could not be ended; it is tried again',
        );
      }
    }
  }

  async #act(action: ExpiryAction): Promise<void> {
    switch (action.kind) {
      case 'destroy': {
        // A preparation that lapsed before its container was bound still has a record.
        const record = await this.#store.findByContainer(action.container);
        if (record !== undefined) return this.#ending.end(record, 0);
        return this.#ending.destroy(action.container, 0);
      }
      case 'end':
        return this.#ending.end(action.record, 0);
      case 'finish':
        return this.#retirement.finish(action.record);
      case 'drain':
        return this.#retirement.retire(action.record);
    }
  }
}

function describe(action: ExpiryAction): { container_id: string } {
  return { container_id: action.kind === 'destroy' ? action.container : action.record.container };
}
