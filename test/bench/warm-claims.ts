import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { type ContainerId, parseConversationId, parseTenantId, workId } from '../../runtime/contracts/ids.ts';
import { must } from '../support/must.ts';
import { call } from './agent-call.ts';
import type { BenchSetting } from './bench-setting.ts';
import { timed } from './figure.ts';
import { type Instance, PoolInstallation } from './pool-installation.ts';

const FILL_PARALLEL = 4;
const REFILL_PARALLEL = 2;
const tenant = must(parseTenantId('bench'));
const never = new AbortController().signal;

/**
 * A pool that one instance fills and another claims from, so that a claim meets a container that its instance has
 * not spoken to before; and what a claim can't do without, done by hand.
 */
export class WarmClaims implements AsyncDisposable {
  /** Whether the pool is filled up while it is claimed from, two at a time. */
  refills = false;
  readonly #setting: BenchSetting;
  readonly #installation: PoolInstallation;
  readonly #filler: Instance;
  readonly #claimer: Instance;
  readonly #refilling: Instance;
  readonly #redis: Redis;
  readonly #list: string;
  #members: ContainerId[] = [];
  #floors = 0;

  private constructor(
    setting: BenchSetting,
    installation: PoolInstallation,
    filler: Instance,
    claimer: Instance,
    refilling: Instance,
  ) {
    this.#setting = setting;
    this.#installation = installation;
    this.#filler = filler;
    this.#claimer = claimer;
    this.#refilling = refilling;
    this.#redis = new Redis(setting.redisUrl);
    this.#list = `${setting.installation}:floor:${randomUUID()}`;
  }

  static async open(setting: BenchSetting): Promise<WarmClaims> {
    const installation = new PoolInstallation(setting);
    try {
      const filler = await installation.instance(FILL_PARALLEL);
      const claimer = await installation.instance(REFILL_PARALLEL);
      await claimer.warmPool.close(); // it makes up for nothing
      const refilling = await installation.instance(REFILL_PARALLEL);
      return new WarmClaims(setting, installation, filler, claimer, refilling);
    } catch (error) {
      await installation[Symbol.asyncDispose]();
      throw error;
    }
  }

  async fill(size: number): Promise<void> {
    await this.#filler.warmPool.configure({ min: size, max: size });
    await this.#installation.untilSize(size, (now) => {
      if (now % 10 === 0) this.#setting.say(`  warm pool: ${now} of ${size}`);
    });
    const { members } = await this.#installation.state.warmPool.look();
    this.#members = members.map(({ container }) => container);
    await this.#redis.rpush(this.#list, ...this.#members, ...this.#members);
  }

  /** How long a new conversation waits for its container, which must come from the pool. */
  async claim(): Promise<number> {
    const conversation = must(parseConversationId(randomUUID()));
    const work = workId('bench', randomUUID());
    const { acquisition } = this.refills ? this.#refilling : this.#claimer;
    const acquired = await acquisition.acquire({ tenant, conversation }, work, never);
    if (acquired.source !== 'warm') throw new Error(`the container came from ${acquired.source}`);
    return acquired.seconds * 1000;
  }

  /** One `LPOP`, and one `/health` of a container, the youngest first: claims take the oldest. */
  async floor(): Promise<number> {
    const container = must(this.#members.at(-1 - (this.#floors % this.#members.length)));
    this.#floors += 1;
    const endpoint = await this.#installation.backend.endpoint(container, 'agent');
    if (endpoint.kind !== 'socket') throw new Error('the agent has no socket');
    return timed(async () => {
      await this.#redis.lpop(this.#list);
      await call({ socketPath: endpoint.path, path: '/health' });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#redis.del(this.#list);
    this.#redis.disconnect();
    await this.#installation[Symbol.asyncDispose]();
  }
}
