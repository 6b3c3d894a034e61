import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AgentClients } from '../../agent-client/agent-clients.ts';
import { AgentMisbehaved, AgentUnreachable, ExecutionForgotten } from '../../agent-client/agent-failures.ts';
import type { AgentEvent } from '../../agent-client/execution-events.ts';
import { BerthError, isBerthError } from '../../contracts/errors.ts';
import type { ExecutionRecord } from '../../contracts/execution-record.ts';
import type { Checkpoint } from '../../lifecycle/checkpoint.ts';
import type { ExecutionStore, RelayRequest } from '../../state/execution-store.ts';
import { RELAY_LEASE_SECONDS } from '../conversation-settings.ts';
import type { Diagnosis } from '../crash-recovery.ts';
import { LeaseRenewal } from '../lease-renewal.ts';
import { type EventRun, joinRuns } from './event-run.ts';
import { EventWindow } from './event-window.ts';
import { type ExecutionOutcome, HandedOver, OutOfTime } from './execution-outcome.ts';
import { isAway, LogWriter } from './log-writer.ts';
import { ownRun, writeRuns } from './write-runs.ts';

/** Connections in a row that break without one event before the agent is given up. */
const BROKEN_CONNECTIONS = 5;
const RECONNECT_MS = 100;
const FINISH_MS = 10_000;
const FINISH_PAUSE_MS = 250;

type Batches = AsyncGenerator<AgentEvent[]>;

interface Parts {
  executions: ExecutionStore;
  agents: AgentClients;
  log: Logger;
  /** What became of the container when the connection to its agent broke. */
  diagnose: (execution: ExecutionRecord, failure: Error) => Promise<Diagnosis>;
  /** What has to happen between the last of the agent's events and the execution's end; the events to end it with. */
  conclude: (execution: ExecutionRecord, outcome: ExecutionOutcome) => Promise<Conclusion>;
  checkpoint: Checkpoint;
  onEnd: (status: Conclusion['status']) => void;
}

export interface Conclusion {
  status: 'completed' | 'failed' | 'cancelled' | 'lost';
  /** The last one ends the execution. None: the agent's own end is the last. */
  events: ({ type: string } & Record<string, unknown>)[];
  ttl: { idleSeconds: number; maxLifetimeSeconds: number };
}

/** Takes one execution's events from the agent to the log and to who reads here, and ends it. */
export class Relay {
  readonly window = new EventWindow();
  readonly execution: ExecutionRecord;
  /** Names this relay in the store. */
  readonly owner: string;
  readonly #parts: Parts;
  readonly #stop = new AbortController();
  #outOfTime: NodeJS.Timeout | undefined;
  #renewal: LeaseRenewal | undefined;
  #agentSeq: number;
  #offset: number;

  constructor(execution: ExecutionRecord, owner: string, parts: Parts) {
    this.execution = execution;
    this.owner = owner;
    this.#parts = parts;
    this.#agentSeq = execution.agentSeq;
    this.#offset = execution.offset;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** An event of the runtime's own, before any that follows. */
  say(event: { type: string } & Record<string, unknown>): void {
    this.window.add([this.#own(event)]);
  }

  /** After this long the agent, which keeps the time too, is not waited for any more. */
  giveUpIn(ms: number): void {
    this.#outOfTime = setTimeout(() => this.#stop.abort(new OutOfTime()), ms).unref();
  }

  /** Keeps the relay's lease from now on. The log's writer finds out when it is lost. */
  hold(): void {
    const { executions } = this.#parts;
    const renew = () => executions.renewRelay(this.#lease);
    this.#renewal = new LeaseRenewal(RELAY_LEASE_SECONDS, renew, () => undefined);
  }

  /** For one that is never run, or has run. */
  dispose(): void {
    clearTimeout(this.#outOfTime);
    this.#renewal?.[Symbol.dispose]();
  }

  /** Whether it is this one's to end. A lease that lapsed while nobody wanted it is taken again. */
  async isOurs(): Promise<boolean> {
    return (await this.#parts.executions.takeRelay(this.#lease)).kind === 'taken';
  }

  /** Leaves the execution to another instance. */
  handOver(): void {
    this.#stop.abort(new HandedOver());
  }

  /** `batches`: events that are coming already; else it attaches to where the log ends. */
  async run(batches?: Batches): Promise<void> {
    const { executions, log } = this.#parts;
    const writer = new LogWriter(executions, this.execution, this.owner, this.window);
    const writing = writer.run().then((result) => {
      if (result === 'stale') this.#stop.abort(new HandedOver());
    });
    writing.catch((error) =>
      log.warn({ err: error, ...describe(this.execution) }, 'events could not be logged'),
    );
    try {
      const outcome = await this.#follow(batches);
      if (outcome.kind === 'handed-over') {
        writer.stop();
        await writing.catch(() => undefined);
        await executions.leaveRelay(this.#lease).catch(() => undefined);
      } else if (await this.#mayConclude()) {
        const conclusion = await this.#parts.conclude(this.execution, outcome);
        writer.stop();
        await writing.catch(() => undefined);
        await this.#finish(conclusion, outcome);
      }
    } finally {
      this.dispose();
      this.window.close('lost');
    }
  }

  /** Hands the agent's events on until it has said its last, or can't any more. */
  async #follow(batches: Batches | undefined): Promise<ExecutionOutcome> {
    let broken = 0;
    for (let source = batches; ; source = undefined) {
      try {
        for await (const batch of source ?? (await this.#attach())) {
          broken = 0;
          const end = this.#take(batch);
          if (end !== undefined) return { kind: 'over', event: end };
          await this.window.pace();
          this.#stop.signal.throwIfAborted();
        }
      } catch (error) {
        broken += 1;
        const outcome = await this.#explain(error, broken);
        if (outcome !== 'again') return outcome;
      }
    }
  }

  #attach(): Promise<Batches> {
    const { container, execution } = this.execution;
    return this.#parts.agents.of(container).executionEvents(execution, this.#agentSeq, this.#stop.signal);
  }

  /** All but the end goes to the window; the end waits for what has to come before it. */
  #take(batch: AgentEvent[]): AgentEvent | undefined {
    const end = batch.at(-1)?.end === undefined ? undefined : batch.at(-1);
    this.#hand(end === undefined ? batch : batch.slice(0, -1));
    return end;
  }

  #hand(events: AgentEvent[]): void {
    const runs = writeRuns(this.execution.execution, this.#offset, events);
    this.#agentSeq = events.at(-1)?.seq ?? this.#agentSeq;
    if (runs.length > 0) this.window.add(runs);
  }

  async #explain(error: unknown, broken: number): Promise<ExecutionOutcome | 'again'> {
    const { reason } = this.#stop.signal;
    if (reason instanceof HandedOver) return { kind: 'handed-over' };
    if (reason instanceof OutOfTime) return { kind: 'out-of-time' };
    if (error instanceof ExecutionForgotten) return { kind: 'forgotten' };
    if (isBerthError(error, 'EXECUTION_NOT_FOUND')) {
      return { kind: this.#agentSeq === 0 ? 'never-ran' : 'forgotten' };
    }
    // What an agent refuses to tell is as good as a connection that broke.
    const known =
      error instanceof AgentUnreachable || error instanceof AgentMisbehaved || error instanceof BerthError;
    if (!known) throw error;
    const diagnosis = await this.#parts.diagnose(this.execution, error);
    if (diagnosis.kind !== 'well') return diagnosis;
    if (broken >= BROKEN_CONNECTIONS) return { kind: 'lost', reason: 'misbehaved', detail: error.message };
    await sleep(broken * RECONNECT_MS);
    return 'again';
  }

  async #finish(conclusion: Conclusion, outcome: ExecutionOutcome): Promise<void> {
    const { executions } = this.#parts;
    const runs = this.#lastRuns(conclusion, outcome);
    const { status, ttl } = conclusion;
    const request = { ...this.execution, relay: this.owner, status, ttl, entries: joinRuns(runs) };
    const giveUp = performance.now() + FINISH_MS;
    for (;;) {
      try {
        if ((await executions.finish(request)) === 'done') break;
        if (!(await this.isOurs())) return; // ended, or another's: the log has its end
      } catch (error) {
        if (!isAway(error)) throw error;
        if (performance.now() > giveUp) break; // who reads here gets the end; the log gets it from the next relay
        await sleep(FINISH_PAUSE_MS);
      }
    }
    await this.#parts.checkpoint('execute.finished');
    this.#parts.onEnd(status);
    this.window.add(runs);
    this.window.close('ended');
  }

  /** One that was paused past its lease must not touch a container on which the next may run already. */
  async #mayConclude(): Promise<boolean> {
    try {
      return await this.isOurs();
    } catch (error) {
      if (isAway(error)) return true; // nobody else can have it, and every step is refused by the store meanwhile
      throw error;
    }
  }

  get #lease(): RelayRequest {
    return { ...this.execution, relay: this.owner, leaseSeconds: RELAY_LEASE_SECONDS };
  }

  #lastRuns({ events }: Conclusion, outcome: ExecutionOutcome): EventRun[] {
    const own = events.map((event) => this.#own(event));
    if (outcome.kind !== 'over' || own.length > 0) return own;
    this.#agentSeq = outcome.event.seq;
    return writeRuns(this.execution.execution, this.#offset, [outcome.event]);
  }

  #own(event: { type: string } & Record<string, unknown>): EventRun {
    this.#offset += 1;
    return ownRun(this.execution.execution, this.#agentSeq + this.#offset, this.#agentSeq, event);
  }
}

function describe({ container, execution }: ExecutionRecord): Record<string, string> {
  return { container_id: container, execution_id: execution };
}
