import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { AgentClients } from '../../agent-client/agent-clients.ts';
import type { AgentEvent } from '../../agent-client/execution-events.ts';
import type { ExecutionName, ExecutionRecord } from '../../contracts/execution-record.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import type { Checkpoint } from '../../lifecycle/checkpoint.ts';
import type { ConversationStore } from '../../state/conversation-store.ts';
import type { ExecutionStore } from '../../state/execution-store.ts';
import type { ContainerSource } from '../container-acquisition.ts';
import { ANSWER_SECONDS, RELAY_LEASE_SECONDS } from '../conversation-settings.ts';
import type { CrashRecovery } from '../crash-recovery.ts';
import type { EventWindow } from './event-window.ts';
import type { ExecutionConclusion } from './execution-conclusion.ts';
import { Relay } from './relay.ts';

const TAKE_OVER_AT_ONCE = 50;

interface Parts {
  store: ConversationStore;
  executions: ExecutionStore;
  agents: AgentClients;
  recovery: CrashRecovery;
  conclusion: ExecutionConclusion;
  checkpoint: Checkpoint;
  instance: string;
  log: Logger;
  onEnd: (status: Exclude<ExecutionRecord['status'], 'running'>, execution: ExecutionRecord) => void;
}

/** The executions that this instance relays: those it began, and those it took up because nobody did. */
export class Relays {
  readonly #parts: Parts;
  readonly #relays = new Map<string, { relay: Relay; over: Promise<void> }>();
  readonly #takingOver = new Map<string, Promise<void>>();
  #closing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A name for a relay of this instance. */
  newOwner(): string {
    return `${this.#parts.instance}/${randomUUID()}`;
  }

  /** A relay that has begun nothing yet. Its time runs. */
  prepare(execution: ExecutionRecord, owner: string, seconds: number): Relay {
    const { executions, agents, recovery, conclusion, checkpoint, log, onEnd } = this.#parts;
    const relay = new Relay(execution, owner, {
      executions,
      agents,
      log,
      diagnose: (record, failure) => recovery.diagnose(record, failure),
      conclude: (record, outcome) => conclusion.conclude(record, outcome),
      checkpoint,
      onEnd: (status) => onEnd(status, execution),
    });
    relay.giveUpIn((Math.max(0, seconds) + ANSWER_SECONDS) * 1000);
    relay.hold();
    return relay;
  }

  /** `batches`: events that are coming already. */
  start(relay: Relay, batches?: AsyncGenerator<AgentEvent[]>): void {
    const key = keyOf(relay.execution);
    const { execution: execution_id, container: container_id } = relay.execution;
    const over = relay
      .run(batches)
      .catch((error) => this.#parts.log.error({ err: error, execution_id, container_id }, 'a relay failed'))
      .finally(() => {
        if (this.#relays.get(key)?.relay === relay) this.#relays.delete(key);
      });
    this.#relays.get(key)?.relay.handOver(); // it has lost its lease: this one could not have it otherwise
    this.#relays.set(key, { relay, over });
    if (this.#closing) relay.handOver();
  }

  /** The window of an execution that is relayed here; one that nobody relays is taken up. */
  async windowOf(name: ExecutionName): Promise<EventWindow | undefined> {
    if (!this.#relays.has(keyOf(name))) await this.#takeOver(name);
    return this.#relays.get(keyOf(name))?.relay.window;
  }

  /** Takes up executions that nobody relays. */
  async runOnce(): Promise<void> {
    const names = await this.#parts.executions.withoutRelay(TAKE_OVER_AT_ONCE);
    await Promise.all(names.map((name) => this.#takeOver(name)));
  }

  /** Takes nothing up any more. */
  close(): void {
    this.#closing = true;
  }

  /** Leaves what runs to other instances. */
  handOver(): void {
    for (const { relay } of this.#relays.values()) relay.handOver();
  }

  /** Tells whoever follows an execution in this container, and relays here. */
  tell(container: ContainerId, event: { type: string } & Record<string, unknown>): void {
    for (const { relay } of this.#relays.values()) {
      if (relay.execution.container === container) relay.say(event);
    }
  }

  executions(): ExecutionRecord[] {
    return [...this.#relays.values()].map(({ relay }) => relay.execution);
  }

  /** Resolves once this instance relays nothing. */
  async settle(): Promise<void> {
    await Promise.all([...this.#relays.values()].map(({ over }) => over));
  }

  /** Becomes the relay of an execution that has none, and carries on where its log ends. */
  #takeOver(name: ExecutionName): Promise<void> {
    const key = keyOf(name);
    const under = this.#takingOver.get(key);
    if (under !== undefined) return under;
    const { execution: execution_id } = name;
    const taking = this.#tryToTake(name)
      .catch((error) => this.#parts.log.warn({ err: error, execution_id }, 'a relay could not be taken'))
      .finally(() => this.#takingOver.delete(key));
    this.#takingOver.set(key, taking);
    return taking;
  }

  async #tryToTake(name: ExecutionName): Promise<void> {
    const { store, executions, log } = this.#parts;
    if (this.#closing || this.#relays.has(keyOf(name))) return;
    const owner = this.newOwner();
    const taken = await executions.takeRelay({ ...name, relay: owner, leaseSeconds: RELAY_LEASE_SECONDS });
    if (taken.kind !== 'taken') return;
    const { execution } = taken;
    log.info(
      { execution_id: execution.execution, container_id: execution.container },
      'relaying an execution that nobody did',
    );
    const relay = this.prepare(execution, owner, (execution.deadline - (await store.now())) / 1000);
    // Nothing is logged yet, or what was is lost: the first event has its place all the same.
    if (execution.agentSeq + execution.offset === 0)
      relay.say(containerEvent(execution.container, 'existing', 0));
    this.start(relay);
  }
}

/** The first event of every execution. */
export function containerEvent(container_id: string, source: ContainerSource, seconds: number) {
  return { type: 'container', container_id, source, acquire_ms: Math.round(seconds * 1000) };
}

function keyOf({ tenant, conversation, execution }: ExecutionName): string {
  return `${tenant}:${conversation}:${execution}`;
}
