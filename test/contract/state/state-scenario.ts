import type { ExecutionName } from '../../../runtime/contracts/execution-record.ts';
import type { AdoptRequest } from '../../../runtime/state/adoption-store.ts';
import type {
  AcquireResult,
  ExecutionStart,
  Incarnation,
} from '../../../runtime/state/conversation-store.ts';
import type { AppendRequest, FinishRequest, LogEntry } from '../../../runtime/state/execution-store.ts';
import type { State } from '../../../runtime/state/state.ts';
import { container, conversation, execution, tenant } from './names.ts';
import { type AcquireWords, LEASE, Scenario, TTL } from './scenario.ts';

export const RELAY_LEASE = 15;
/** For a whole execution. */
export const SECONDS = 120;

interface ExecuteWords extends AcquireWords {
  execution?: number;
  bodyHash?: string;
  relay?: string;
  limit?: number;
}

/** Calls every part of a state with defaults. */
export class StateScenario extends Scenario {
  readonly state: State;

  constructor(state: State) {
    super(state.conversations);
    this.state = state;
  }

  reserveMember(n: number, words: { owner?: string; most?: number; maxContainers?: number } = {}) {
    const { owner = 'pool', most = 10, maxContainers = 100 } = words;
    return this.state.warmPool.reserve({
      container: container(n),
      owner,
      leaseSeconds: LEASE,
      most,
      maxContainers,
    });
  }

  renewMember(n: number, owner = 'pool') {
    return this.state.warmPool.renew({ container: container(n), owner, leaseSeconds: LEASE });
  }

  addMember(n: number, owner = 'pool') {
    return this.state.warmPool.add({ container: container(n), owner, image: 'base:1', manager: 'ecs' });
  }

  removeMember(n: number, stopSeconds = 20) {
    return this.state.warmPool.remove({ container: container(n), stopSeconds });
  }

  /** Containers in the pool, in this order. */
  async warm(...numbers: number[]): Promise<void> {
    for (const n of numbers) {
      await this.reserveMember(n);
      await this.addMember(n);
    }
  }

  async members(): Promise<string[]> {
    return (await this.state.warmPool.look()).members.map((member) => member.container);
  }

  start(words: ExecuteWords = {}): ExecutionStart {
    return {
      id: execution(words.execution ?? 1),
      bodyHash: words.bodyHash ?? 'body',
      seconds: SECONDS,
      onDisconnect: 'cancel',
      relay: words.relay ?? 'r1',
      relaySeconds: RELAY_LEASE,
      ...(words.limit === undefined ? {} : { tenantLimit: words.limit }),
    };
  }

  execute(words: ExecuteWords = {}): Promise<AcquireResult> {
    const request = this.request(words);
    return this.store.acquire({ ...request, work: { ...request.work, execution: this.start(words) } });
  }

  name(words: ExecuteWords = {}): ExecutionName {
    return {
      tenant: tenant(words.tenant ?? 'acme'),
      conversation: conversation(words.conversation ?? 'c1'),
      execution: execution(words.execution ?? 1),
    };
  }

  /** A conversation with an execution that relay `r1` has. */
  async executing(words: ExecuteWords = {}): Promise<ExecutionName & Incarnation> {
    const incarnation = await this.ready(words);
    const result = await this.execute(words);
    if (result.kind !== 'live') throw new Error(`${result.kind}, not live`);
    return { ...this.name(words), ...incarnation };
  }

  takeRelay(name: ExecutionName, relay = 'r1') {
    return this.state.executions.takeRelay({ ...name, relay, leaseSeconds: RELAY_LEASE });
  }

  renewRelay(name: ExecutionName, relay = 'r1') {
    return this.state.executions.renewRelay({ ...name, relay, leaseSeconds: RELAY_LEASE });
  }

  /** The agent's next events, one entry of one event each. */
  append(name: ExecutionName, lines: string[], words: Partial<AppendRequest> = {}) {
    const after = words.after ?? 0;
    return this.state.executions.append({
      ...name,
      relay: 'r1',
      leaseSeconds: RELAY_LEASE,
      after,
      agentSeq: after + lines.length,
      offset: 0,
      entries: lines.map((text, i) => entry(after + i + 1, after + i + 1, text)),
      ...words,
    });
  }

  finish(name: ExecutionName, words: Partial<FinishRequest> = {}) {
    return this.state.executions.finish({
      ...name,
      relay: 'r1',
      status: 'completed',
      entries: [],
      ttl: TTL,
      ...words,
    });
  }

  abandon(name: ExecutionName, relay = 'r1') {
    return this.state.executions.abandon({ ...name, relay, ttl: TTL });
  }

  read(name: ExecutionName, after = 0, maxBytes = 65_536) {
    return this.state.executions.read(name, after, maxBytes);
  }

  changed(name: ExecutionName, after = 0, signal = new AbortController().signal) {
    return this.state.executions.changed(name, after, signal);
  }

  async adoptRequest(words: {
    container?: number;
    conversation?: string;
    tenant?: string;
    /** Seconds ago. */
    claimed?: number;
    executions?: number[];
  }): Promise<AdoptRequest> {
    const now = await this.store.now();
    const claimedAt = now - (words.claimed ?? 10) * 1_000;
    return {
      tenant: tenant(words.tenant ?? 'acme'),
      conversation: conversation(words.conversation ?? 'c1'),
      container: container(words.container ?? 50),
      manager: 'docker',
      createdAt: claimedAt - 60_000,
      claimedAt,
      savedVersion: 'v7',
      executions: (words.executions ?? []).map(execution),
      executionSeconds: SECONDS,
      ttl: TTL,
    };
  }

  async adopt(words: Parameters<StateScenario['adoptRequest']>[0] = {}) {
    return this.state.adoption.adopt(await this.adoptRequest(words));
  }

  /** Every write of pool and executions, for tests that expect all of them to be refused. */
  otherWrites(name: ExecutionName) {
    return {
      acquire: () => this.acquire(),
      execute: () => this.execute(),
      release: () => this.store.release(container(1)),
      saved: () => this.store.saved({ ...name, container: container(1), version: 'v1' }),
      postpone: () => this.store.postpone({ ...name, container: container(1), seconds: 1 }),
      reserveMember: () => this.reserveMember(90),
      renewMember: () => this.renewMember(90),
      addMember: () => this.addMember(90),
      removeMember: () => this.removeMember(90),
      takeRelay: () => this.takeRelay(name),
      renewRelay: () => this.renewRelay(name),
      append: () => this.append(name, ['a']),
      finish: () => this.finish(name),
      leaveRelay: () => this.state.executions.leaveRelay({ ...name, relay: 'r1' }),
      abandon: () => this.abandon(name),
    };
  }
}

export function entry(first: number, last: number, frames: string): LogEntry {
  return { first, last, frames: Buffer.from(frames) };
}
