import { randomUUID } from 'node:crypto';
import type { AgentClient } from '../agent-client/agent-client.ts';
import type { AgentClients } from '../agent-client/agent-clients.ts';
import { AgentMisbehaved, AgentUnreachable } from '../agent-client/agent-failures.ts';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import type { BerthError } from '../contracts/errors.ts';
import { workId } from '../contracts/ids.ts';
import type { ConversationStore } from '../state/conversation-store.ts';
import type { ActiveWork } from './active-work.ts';
import { deleting } from './being-deleted.ts';
import type { Caller, ContainerAcquisition } from './container-acquisition.ts';
import { ANSWER_SECONDS, type ConversationSettings, WORK_LEASE_SECONDS } from './conversation-settings.ts';
import type { CrashRecovery } from './crash-recovery.ts';
import type { FileSaving } from './file-saving.ts';
import { LeaseRenewal } from './lease-renewal.ts';

type Step<T> = (agent: AgentClient, signal: AbortSignal, record: ConversationRecord) => Promise<T>;

interface Parts {
  store: ConversationStore;
  agents: AgentClients;
  active: ActiveWork;
  acquisition: ContainerAcquisition;
  recovery: CrashRecovery;
  saving: FileSaving;
  settings: ConversationSettings;
}

/** Does work on a conversation's container: under a lease, cancellable, within a deadline. */
export class ConversationWork {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Work that provably never reached a container which turns out dead is done once more, on a fresh one. */
  async run<T>(
    caller: Caller,
    kind: string,
    seconds: number | 'open-ended',
    signal: AbortSignal,
    step: Step<T>,
  ): Promise<T> {
    try {
      return await this.#once(caller, kind, seconds, signal, step);
    } catch (error) {
      if (!(error instanceof NeverArrived)) throw error;
      return await this.#once(caller, kind, seconds, signal, step).catch((again) => {
        throw again instanceof NeverArrived ? again.problem : again;
      });
    }
  }

  async #once<T>(
    caller: Caller,
    kind: string,
    seconds: number | 'open-ended',
    signal: AbortSignal,
    step: Step<T>,
  ): Promise<T> {
    const { store, agents, active, acquisition, saving, settings } = this.#parts;
    const piece = active.begin(signal);
    let ended: Promise<unknown> = Promise.resolve();
    try {
      const work = workId(kind, randomUUID());
      const { record } = await acquisition.acquire(caller, work, piece.signal);
      piece.container = record.container;
      saving.watch(record);
      const lease = { ...record, work, leaseSeconds: WORK_LEASE_SECONDS, ttl: settings.ttl };
      using _renewal = new LeaseRenewal(
        WORK_LEASE_SECONDS,
        () => store.renewWork(lease),
        () => piece.stop(deleting(record)),
      );
      const hung =
        seconds === 'open-ended'
          ? undefined
          : setTimeout(() => piece.stop(noAnswer(seconds)), (seconds + ANSWER_SECONDS) * 1000);
      try {
        return await step(agents.of(record.container), piece.signal, record);
      } catch (error) {
        throw await this.#explain(piece.signal.aborted ? piece.signal.reason : error, record, signal);
      } finally {
        clearTimeout(hung);
        // The answer does not wait for this. A store that is away lets the lease lapse instead.
        ended = store.endWork(lease).catch(() => undefined);
      }
    } catch (error) {
      throw isAbort(error) ? piece.signal.reason : error;
    } finally {
      void ended.then(() => piece[Symbol.dispose]());
    }
  }

  async #explain(error: unknown, record: ConversationRecord, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) return error;
    if (!(error instanceof AgentUnreachable || error instanceof AgentMisbehaved)) return error;
    const problem = await this.#parts.recovery.recover(record, error);
    const arrived = !(error instanceof AgentUnreachable) || error.mayHaveArrived;
    return arrived || problem.code !== 'CONTAINER_CRASHED' ? problem : new NeverArrived(problem);
  }
}

/** What waits of Node's own throw when they are cut short; the reason is the signal's. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

class NeverArrived extends Error {
  readonly problem: BerthError;

  constructor(problem: BerthError) {
    super(problem.message, { cause: problem });
    this.problem = problem;
  }
}

/** An agent that lets a deadline pass is hung. */
function noAnswer(seconds: number): AgentUnreachable {
  return new AgentUnreachable(true, new Error(`no answer within ${seconds + ANSWER_SECONDS} s`));
}
