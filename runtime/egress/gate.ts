import type { EgressMethod, EgressOutcome, EgressState, EgressStats } from '../contracts/egress.ts';
import { Counters } from './proxy/counters.ts';
import { type EgressLog, RefusalLog } from './proxy/refusal-log.ts';
import { AllowList } from './verdict/allow-list.ts';
import type { Refusal } from './verdict/refusal.ts';

export type { EgressLog } from './proxy/refusal-log.ts';

/** A state with its lists compiled. A new one is made at every `replace`. */
export interface Policy {
  readonly state: EgressState;
  readonly allowed: AllowList;
  readonly mcp: AllowList;
}

/** A client connection, as far as a gate ends it. */
export interface GateConnection {
  destroy(): unknown;
}

/** One container's rules, what it has in work, and its counters. Until the first `replace` everything is refused. */
export class Gate {
  readonly container: string;
  readonly #counters = new Counters();
  readonly #log: RefusalLog;
  readonly #connections = new Set<GateConnection>();
  #policy: Policy | undefined;
  #closed = false;
  #retired = false;
  /** Requests in work. */
  requests = 0;
  /** Bytes of request bodies being gathered. */
  gathered = 0;

  constructor(container: string, log: EgressLog) {
    this.container = container;
    this.#log = new RefusalLog(container, log);
  }

  /** All at once: throws on a bad entry, and then the old state stays. What is in work goes on as it began. */
  replace(state: EgressState): void {
    const allowed = new AllowList(state.allowed_domains);
    const mcp = new AllowList(state.mcp_domains);
    if (!this.#closed) this.#policy = { state, allowed, mcp };
  }

  /** Another proxy has the container by now: what is in work ends, and no connection goes on after its next answer. */
  retire(): void {
    this.#retired = true;
  }

  get retired(): boolean {
    return this.#retired;
  }

  get state(): EgressState | undefined {
    return this.#policy?.state;
  }

  get policy(): Policy | undefined {
    return this.#policy;
  }

  stats(): EgressStats {
    return this.#counters.read();
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Counts a connection until it is left, and ends it when the gate closes. */
  enter(connection: GateConnection): void {
    if (this.#closed) connection.destroy();
    else this.#connections.add(connection);
  }

  leave(connection: GateConnection): void {
    this.#connections.delete(connection);
  }

  /** Counts and logs a refusal. */
  refused(refusal: Refusal, method: EgressMethod): void {
    const { target } = refusal;
    this.#counters.refused(refusal.reason);
    this.#log.write({
      ...(target && { host: target.host, port: target.port }),
      method,
      reason: refusal.reason,
      detail: refusal.message.split('\n').at(-1),
    });
  }

  passed(outcome: EgressOutcome): void {
    this.#counters.passed(outcome);
  }

  took(method: EgressMethod, seconds: number): void {
    this.#counters.took(method, seconds);
  }

  /** Ends its connections; from then on everything is refused. */
  close(): void {
    this.#closed = true;
    this.#policy = undefined;
    for (const connection of this.#connections) connection.destroy();
    this.#connections.clear();
    this.#log.flush();
  }
}
