import type { Gate, Policy } from '../gate.ts';
import type { ProxySettings } from './proxy-options.ts';
import type { UpstreamPool } from './upstream-pool.ts';
import { Upstreams } from './upstreams.ts';

interface Kept {
  readonly upstreams: Upstreams;
  policy?: Policy;
  pool?: UpstreamPool;
}

/** Each gate's own connections; a new policy begins with none. */
export class GateUpstreams {
  readonly #settings: ProxySettings;
  readonly #kept = new WeakMap<Gate, Kept>();

  constructor(settings: ProxySettings) {
    this.#settings = settings;
  }

  of(gate: Gate): Upstreams {
    return this.#keptOf(gate).upstreams;
  }

  pool(gate: Gate, policy: Policy): UpstreamPool {
    const kept = this.#keptOf(gate);
    if (kept.pool && kept.policy === policy) return kept.pool;
    kept.pool?.retire();
    kept.policy = policy;
    kept.pool = kept.upstreams.pool();
    return kept.pool;
  }

  #keptOf(gate: Gate): Kept {
    let kept = this.#kept.get(gate);
    if (!kept) {
      kept = { upstreams: new Upstreams(this.#settings.lookup, this.#settings.limits) };
      this.#kept.set(gate, kept);
    }
    return kept;
  }
}
