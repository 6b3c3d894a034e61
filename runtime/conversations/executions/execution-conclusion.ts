import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ExecutionEnding } from '../../agent-client/check-event.ts';
import type { ExecutionRecord, ExecutionStatus } from '../../contracts/execution-record.ts';
import { executionWork, workId } from '../../contracts/ids.ts';
import type { Checkpoint } from '../../lifecycle/checkpoint.ts';
import type { ConversationStore } from '../../state/conversation-store.ts';
import type { ContainerAcquisition } from '../container-acquisition.ts';
import type { ContainerEnding } from '../container-ending.ts';
import { ANSWER_SECONDS, type ConversationSettings, DRAIN_LEASE_SECONDS } from '../conversation-settings.ts';
import type { CrashRecovery } from '../crash-recovery.ts';
import type { FileSaving } from '../file-saving.ts';
import { planRecovery, type ReplaceReason } from '../plan-recovery.ts';
import type { ExecutionOutcome } from './execution-outcome.ts';
import type { Conclusion } from './relay.ts';

const NEW_CONTAINER_MS = 30_000;
const LAST_SAVE_MS = 10_000;
/** The agent's clock and the store's differ by some. */
const DEADLINE_SLACK_MS = 1_000;

interface Parts {
  store: ConversationStore;
  saving: FileSaving;
  ending: ContainerEnding;
  recovery: CrashRecovery;
  acquisition: ContainerAcquisition;
  settings: ConversationSettings;
  checkpoint: Checkpoint;
  log: Logger;
}

/** What happens between the last of the agent's events and the end that clients see. The input is never run again. */
export class ExecutionConclusion {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async conclude(execution: ExecutionRecord, outcome: ExecutionOutcome): Promise<Conclusion> {
    switch (outcome.kind) {
      case 'over': {
        const { end } = outcome.event;
        await this.#save(execution);
        const said = end?.type === 'error' && end.error_type === 'timeout_error';
        // A runner may say so of a model's time; only its own deadline costs the container.
        if (said && (await this.#isPastDeadline(execution))) await this.#replace(execution);
        return this.#with(statusOf(end), []);
      }
      case 'out-of-time': {
        await this.#replace(execution);
        const seconds = Math.round((execution.deadline - execution.startedAt) / 1000);
        const message = `the execution was not over within its ${seconds} s, nor ${ANSWER_SECONDS} s later`;
        return this.#with('failed', [failure('timeout_error', message, true)]);
      }
      case 'lost':
        return this.#with('lost', [
          await this.#recovered(execution, outcome),
          failure('container_lost', `the container of the execution was lost: ${outcome.detail}`, true),
        ]);
      case 'ended': {
        const why = 'the container was ended by the service or an operator';
        return this.#with('lost', [
          recovered(`${why}; the next call gets a new one`, false),
          failure('container_lost', why, true),
        ]);
      }
      case 'deleted':
        return this.#with('cancelled', [failure('cancelled', 'the conversation was deleted', false)]);
      case 'never-ran':
        return this.#with('lost', [
          failure(
            'container_lost',
            'the service stopped before it handed the execution over: it was not run',
            true,
          ),
        ]);
      case 'forgotten':
        return this.#with('lost', [
          failure('container_lost', 'how the execution ended is no longer known', false),
        ]);
      case 'handed-over':
        throw new Error('an execution that goes on has no conclusion');
    }
  }

  #with(status: Conclusion['status'], events: Conclusion['events']): Conclusion {
    return { status, events, ttl: this.#parts.settings.ttl };
  }

  async #save(execution: ExecutionRecord): Promise<void> {
    await this.#parts.saving.saveAtEnd(execution);
    await this.#parts.checkpoint('execute.saved');
  }

  async #isPastDeadline({ deadline }: ExecutionRecord): Promise<boolean> {
    return deadline - DEADLINE_SLACK_MS <= (await this.#parts.store.now());
  }

  /** An execution past its deadline costs its container: what it left running there is unknown. */
  async #replace(execution: ExecutionRecord): Promise<void> {
    const { store, saving, ending, settings, log } = this.#parts;
    const inFlight = await store.workInFlight(execution.container);
    if (!inFlight.includes(executionWork(execution.execution))) return; // it has ended, and others may work there
    const drained = await store.beginDrain({
      ...execution,
      onlyIdle: false,
      reason: 'expired',
      leaseSeconds: DRAIN_LEASE_SECONDS,
    });
    if (drained !== 'done') return;
    const trouble = {
      backend: settings.backend,
      failure: 'late',
      agent: 'silent',
      container: 'unknown',
    } as const;
    const who = { container_id: execution.container, tenant: execution.tenant };
    log.warn({ ...who, step: planRecovery(trouble) }, 'an execution is out of time');
    // Its agent may answer nobody.
    const saved = saving
      .saveDraining(execution)
      .catch((error) => log.warn({ err: error, ...who }, 'files of an execution out of time are not saved'));
    await Promise.race([saved, sleep(LAST_SAVE_MS, undefined, { ref: false })]);
    await ending
      .end(execution, 0)
      .catch((error) => log.warn({ err: error, ...who }, 'a container out of time could not be ended yet'));
  }

  /** The conversation gets its next container now, so that its user's next call finds it there. */
  async #recovered(
    execution: ExecutionRecord,
    lost: { reason: ReplaceReason; detail: string },
  ): Promise<{ type: string } & Record<string, unknown>> {
    const { store, recovery, acquisition, settings, log } = this.#parts;
    await recovery.bury(execution, lost);
    const work = workId('recover', randomUUID());
    try {
      const { record } = await acquisition.acquire(execution, work, AbortSignal.timeout(NEW_CONTAINER_MS));
      await store.endWork({ ...record, work, ttl: settings.ttl });
      return recovered(`${lost.detail}; a new container with the saved files is ready`, true);
    } catch (error) {
      log.warn({ err: error, tenant: execution.tenant }, 'no new container for a lost one yet');
      return recovered(`${lost.detail}; the next call gets a new container`, false);
    }
  }
}

function recovered(message: string, done: boolean): { type: string } & Record<string, unknown> {
  return { type: 'container_recovered', message, recovered: done, retry_recommended: true };
}

function failure(error_type: string, message: string, recoverable: boolean) {
  return { type: 'error', error_type, message, recoverable };
}

function statusOf(end: ExecutionEnding | undefined): Exclude<ExecutionStatus, 'running' | 'lost'> {
  if (end?.type === 'done') return end.subtype === 'success' ? 'completed' : 'failed';
  return end?.error_type === 'cancelled' ? 'cancelled' : 'failed';
}
