import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, vi } from 'vitest';
import { AgentClients } from '../../../runtime/agent-client/agent-clients.ts';
import { awaitAgent } from '../../../runtime/agent-client/agent-proof.ts';
import type { ContainerBackend } from '../../../runtime/containers/container-backend.ts';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import {
  type ContainerId,
  conversationContainerId,
  parseConversationId,
  parseTenantId,
  workId,
} from '../../../runtime/contracts/ids.ts';
import { WarmPool, type WarmPoolSettings } from '../../../runtime/conversations/warm-pool.ts';
import { InstallationSecret } from '../../../runtime/identity/installation-secret.ts';
import type { State } from '../../../runtime/state/state.ts';
import type { WarmMember, WarmPoolStore } from '../../../runtime/state/warm-pool-store.ts';
import type { BackendUnderTest } from '../../contract/container-backend/harness.ts';
import { containerSpec, MISSING_IMAGE } from '../../contract/container-backend/specs.ts';
import type { ManualClock } from '../../contract/state/manual-clock.ts';
import { must } from '../../support/must.ts';
import { QuickPace } from './members-made.ts';

/** One store for any number of instances. */
export interface SharedState extends AsyncDisposable {
  clock: ManualClock;
  /** As another instance has it. */
  open(): Promise<State>;
}

const WAITING = { timeout: 20_000, interval: 20 };
const TENANT = must(parseTenantId('acme'));

/** Warm pools of several instances over one store and one real backend. */
export class PoolWorld implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly image: string;
  readonly versions: { before: string; after: string };
  /** How many were ready, and ready or starting, after each change of the pool. */
  readonly sizes: { ready: number; all: number }[] = [];
  /** Creations at once, at most, and all of them. */
  creations = { now: 0, most: 0, begun: 0 };
  failures = 0;
  /** Warnings in the log. */
  readonly warnings: { msg: string; used?: number; limit?: number }[] = [];
  removed: string[] = [];
  imageReady = true;
  /** Whether the backend has the image after all. */
  imageMissing = false;
  /** Looks that the store answered. */
  looks = 0;
  onReserve: () => void = () => undefined;
  /** The store takes a member in, and its answer gets lost. */
  answersGetLost = false;
  readonly #states: SharedState;
  readonly #state: State;
  readonly #under: BackendUnderTest;
  readonly #backend: ContainerBackend;
  readonly #secret = new InstallationSecret(randomBytes(32));
  readonly #agents: AgentClients;
  readonly #pools: WarmPool[] = [];
  readonly #others: State[] = [];

  private constructor(states: SharedState, state: State, under: BackendUnderTest) {
    this.clock = states.clock;
    this.image = under.image;
    this.versions = under.versions ?? { before: 'workspace-base:before', after: 'workspace-base:after' };
    this.#states = states;
    this.#state = state;
    this.#under = under;
    this.#backend = under.open({ installation: `pool-${randomBytes(4).toString('hex')}` });
    this.#agents = new AgentClients(this.#backend, this.#secret);
  }

  static async open(states: SharedState, under: BackendUnderTest): Promise<PoolWorld> {
    return new PoolWorld(states, await states.open(), under);
  }

  /** An instance. */
  async pool(change: Partial<WarmPoolSettings> = {}): Promise<WarmPool> {
    const state = await this.#states.open();
    this.#others.push(state);
    const settings = {
      image: this.image,
      manager: this.#backend.kind,
      sizes: { min: 2, max: 4 },
      ttlSeconds: 1800,
      maxContainers: 100,
      parallel: 4,
      ...change,
    };
    const pool = new WarmPool({
      store: this.#watched(state.warmPool),
      members: {
        create: (container, signal) => this.#create(container, settings.image, signal),
        prove: (container, signal) => this.#prove(container, signal),
        destroy: (container) => this.#destroy(container),
        isReady: () => this.imageReady,
      },
      settings,
      instance: randomUUID(),
      log: pino({ level: 'warn' }, { write: (line) => void this.warnings.push(JSON.parse(line)) }),
      metrics: {
        added: () => undefined,
        failed: () => {
          this.failures += 1;
        },
        removed: (reason) => this.removed.push(reason),
      },
      pace: new QuickPace(),
    });
    this.#pools.push(pool);
    return pool;
  }

  members(): Promise<WarmMember[]> {
    return this.#state.warmPool.look().then(({ members }) => members);
  }

  async containers(): Promise<ContainerId[]> {
    return (await this.#backend.list('conversation')).map(({ id }) => id).toSorted();
  }

  async used(): Promise<number> {
    return (await this.#state.warmPool.look()).used;
  }

  /** A conversation wants a container: the warm one it gets, if it gets one. */
  async claim(): Promise<ContainerId | undefined> {
    const result = await this.#state.conversations.acquire({
      tenant: TENANT,
      conversation: must(parseConversationId(randomUUID())),
      newContainer: conversationContainerId(randomUUID()),
      manager: this.#backend.kind,
      owner: 'conversation',
      leaseSeconds: 30,
      maxContainers: 1000,
      work: {
        id: workId('exec', randomUUID()),
        leaseSeconds: 30,
        ttl: { idleSeconds: 60, maxLifetimeSeconds: 600 },
      },
    });
    return result.kind === 'claimed' ? result.record.container : undefined;
  }

  /** A container dies, and the sweep that finds it dead takes it out of the pool. */
  async die(container: ContainerId): Promise<void> {
    await this.#backend.destroy(container, { stopSeconds: 0 });
    await this.#state.warmPool.remove({ container, stopSeconds: 0 });
    await this.#state.conversations.release(container);
  }

  /** Until so many are ready, none is starting, and the backend runs these and no others but the claimed. */
  async untilReady(count: number, claimed: ContainerId[] = []): Promise<WarmMember[]> {
    return vi.waitFor(async () => {
      const { members, starting } = await this.#state.warmPool.look();
      expect([members.length, starting]).toEqual([count, 0]);
      const running = [...members.map(({ container }) => container), ...claimed];
      expect(await this.containers()).toEqual(running.toSorted());
      return members;
    }, WAITING);
  }

  /** Until a turn that began after the call is over. */
  async untilWoken(pool: WarmPool): Promise<void> {
    for (const _turn of ['at the latest by this one', 'the one before is over']) {
      const looks = this.looks;
      pool.wake();
      await expect.poll(() => this.looks, WAITING).toBeGreaterThan(looks);
    }
  }

  async untilFailed(times: number): Promise<void> {
    await expect.poll(() => this.failures, WAITING).toBe(times);
  }

  async untilRemoved(count: number): Promise<void> {
    await expect.poll(() => this.removed.length, WAITING).toBe(count);
  }

  /** What adoption does after a loss: all that runs is counted until it is ended. */
  async adopt(): Promise<void> {
    const life = await this.#state.adoption.needed();
    await this.#state.adoption.discardWarm();
    await this.#state.adoption.reserveUnknown(await this.containers());
    await this.#state.adoption.complete(must(life));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()));
    const left = await this.containers();
    await Promise.all(left.map((id) => this.#backend.destroy(id, { stopSeconds: 0 })));
    this.#agents.close();
    await this.#backend.close();
    await Promise.all([this.#state, ...this.#others].map((state) => state.close()));
    await this.#states[Symbol.asyncDispose]();
    await this.#under.remove();
  }

  async #create(container: ContainerId, image: string, signal: AbortSignal): Promise<void> {
    const { creations } = this;
    creations.begun += 1;
    creations.now += 1;
    creations.most = Math.max(creations.most, creations.now);
    const env = { AGENT_TOKEN: this.#secret.agentToken(container) };
    const { missingImage: missing = MISSING_IMAGE } = this.#under;
    const spec = containerSpec(this.imageMissing ? missing : image, { id: container, env });
    await this.#backend.create(spec, signal).catch((error) => {
      creations.now -= 1;
      throw error;
    });
  }

  async #prove(container: ContainerId, signal: AbortSignal): Promise<void> {
    await awaitAgent(this.#agents.of(container), container, this.#secret, signal).finally(() => {
      this.creations.now -= 1;
    });
  }

  async #destroy(container: ContainerId): Promise<void> {
    this.#agents.forget(container);
    await this.#backend.destroy(container, { stopSeconds: 0 });
    await this.#state.conversations.release(container);
  }

  #watched(store: WarmPoolStore): WarmPoolStore {
    const noted = async <Result>(result: Promise<Result>): Promise<Result> => {
      await result;
      const { members, starting } = await this.#state.warmPool.look();
      this.sizes.push({ ready: members.length, all: members.length + starting });
      return result;
    };
    return {
      look: async () => {
        const view = await store.look();
        this.looks += 1;
        return view;
      },
      configure: (sizes) => store.configure(sizes),
      renew: (request) => store.renew(request),
      reserve: (request) => {
        this.onReserve();
        return noted(store.reserve(request));
      },
      add: async (request) => {
        const result = await noted(store.add(request));
        if (this.answersGetLost) throw new BerthError('STORE_UNAVAILABLE', 'no answer came');
        return result;
      },
      remove: (request) => noted(store.remove(request)),
    };
  }
}
