import type { DrainReason } from '../../../runtime/contracts/conversation-record.ts';
import type {
  AcquireRequest,
  AcquireResult,
  ConversationStore,
  Incarnation,
} from '../../../runtime/state/conversation-store.ts';
import { container, conversation, tenant, work } from './names.ts';

export const LEASE = 30;
export const TTL = { idleSeconds: 600, maxLifetimeSeconds: 3_600 };

export interface AcquireWords {
  tenant?: string;
  conversation?: string;
  container?: number;
  owner?: string;
  work?: number;
  workLease?: number;
  maxContainers?: number;
  tenantLimit?: number;
}

/** Calls a store with defaults, so that a test names only what it is about. */
export class Scenario {
  readonly store: ConversationStore;
  #containers = 0;

  constructor(store: ConversationStore) {
    this.store = store;
  }

  request(words: AcquireWords = {}): AcquireRequest {
    return {
      tenant: tenant(words.tenant ?? 'acme'),
      conversation: conversation(words.conversation ?? 'c1'),
      newContainer: container(words.container ?? ++this.#containers),
      manager: 'docker',
      owner: words.owner ?? 'ann',
      leaseSeconds: LEASE,
      maxContainers: words.maxContainers ?? 100,
      work: { id: work(words.work ?? 1), leaseSeconds: words.workLease ?? LEASE, ttl: TTL },
      ...(words.tenantLimit === undefined ? {} : { tenantLimit: words.tenantLimit }),
    };
  }

  acquire(words: AcquireWords = {}): Promise<AcquireResult> {
    return this.store.acquire(this.request(words));
  }

  /** A record in `preparing`, its place reserved. */
  async reserved(words: AcquireWords = {}): Promise<Incarnation> {
    const result = await this.acquire(words);
    if (result.kind !== 'reserved') throw new Error(`${result.kind}, not reserved`);
    const { tenant, conversation, container } = result.record;
    return { tenant, conversation, container };
  }

  /** A record in `preparing`, its container bound. */
  async bound(words: AcquireWords = {}): Promise<Incarnation> {
    const incarnation = await this.reserved(words);
    await this.bind(incarnation, words.owner);
    return incarnation;
  }

  async ready(words: AcquireWords = {}): Promise<Incarnation> {
    const incarnation = await this.bound(words);
    await this.confirm(incarnation, words.owner);
    return incarnation;
  }

  /** A record whose one work is number 1. */
  async running(words: AcquireWords = {}): Promise<Incarnation> {
    const incarnation = await this.ready(words);
    await this.beginWork(incarnation, 1, words.workLease);
    return incarnation;
  }

  renewPreparation(incarnation: Incarnation, owner = 'ann') {
    return this.store.renewPreparation({ ...incarnation, owner, leaseSeconds: LEASE });
  }

  exchange(incarnation: Incarnation, owner = 'ann', starter = 'pool') {
    return this.store.exchange({ ...incarnation, owner, leaseSeconds: LEASE, starter });
  }

  bind(incarnation: Incarnation, owner = 'ann') {
    return this.store.bind({ ...incarnation, owner, leaseSeconds: LEASE });
  }

  async confirm(incarnation: Incarnation, owner = 'ann') {
    return (await this.store.confirm({ ...incarnation, owner, ttl: TTL })).kind;
  }

  beginWork(incarnation: Incarnation, n = 1, leaseSeconds = LEASE) {
    return this.store.beginWork({ ...incarnation, work: work(n), leaseSeconds, ttl: TTL });
  }

  renewWork(incarnation: Incarnation, n = 1, leaseSeconds = LEASE) {
    return this.store.renewWork({ ...incarnation, work: work(n), leaseSeconds, ttl: TTL });
  }

  endWork(incarnation: Incarnation, n = 1, quiet = false) {
    return this.store.endWork({ ...incarnation, work: work(n), ttl: TTL, quiet });
  }

  /** As the expiry of a container does. */
  drainIdle(incarnation: Incarnation) {
    return this.store.beginDrain({ ...incarnation, onlyIdle: true, reason: 'expired', leaseSeconds: 60 });
  }

  /** As its user does. */
  drain(incarnation: Incarnation, reason: DrainReason = 'deleted', leaseSeconds = 60) {
    return this.store.beginDrain({ ...incarnation, onlyIdle: false, reason, leaseSeconds });
  }

  remove(incarnation: Incarnation, stopSeconds = 20) {
    return this.store.remove({ ...incarnation, stopSeconds });
  }

  async status(incarnation: Incarnation) {
    const record = await this.store.get(incarnation.tenant, incarnation.conversation);
    return record?.status ?? 'gone';
  }

  /** Every write that names a container, for tests that expect all of them to be refused. */
  writes(incarnation: Incarnation, owner = 'ann') {
    return {
      renewPreparation: () => this.renewPreparation(incarnation, owner),
      bind: () => this.bind(incarnation, owner),
      exchange: async () => (await this.exchange(incarnation, owner)).kind,
      confirm: () => this.confirm(incarnation, owner),
      beginWork: () => this.beginWork(incarnation),
      renewWork: () => this.renewWork(incarnation),
      endWork: () => this.endWork(incarnation),
      drainIdle: () => this.drainIdle(incarnation),
      drain: () => this.drain(incarnation),
      remove: () => this.remove(incarnation),
      saved: () => this.store.saved({ ...incarnation, version: 'v1' }),
      postpone: () => this.store.postpone({ ...incarnation, seconds: 60 }),
    };
  }
}
