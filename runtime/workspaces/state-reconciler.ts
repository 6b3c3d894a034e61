import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { WorkspaceId } from '../contracts/ids.ts';
import type { DatabaseOf } from '../database/database.ts';
import type { OperationKind, WorkspaceRow } from '../database/workspace-row.ts';
import type { NewOperation } from '../database/workspaces.ts';
import { archiveKey } from './archive-key.ts';
import { type OperationOutcome, OperationRun, type OperationSteps } from './operation-run.ts';
import { planOperation, SILENT_SECONDS } from './plan-operation.ts';

/** Rows that a turn looks at: those that failed least come first. */
const ROWS = 200;
/** How often a database that is away is asked again. */
const AGAIN_MS = 500;

interface Parts {
  database: DatabaseOf<'reconciler'>;
  steps: Record<OperationKind, OperationSteps>;
  /** Longest that each may take, where that is set. */
  seconds?: Partial<Record<OperationKind, number>>;
  /** Names this instance. */
  owner: string;
  /** Most operations of this instance at once. */
  parallel: number;
  log: Logger;
  /** One is over: what was seen may call for the next. */
  onEnd: (kind: OperationKind, outcome: OperationOutcome, seconds: number) => void;
}

/** Brings workspaces where they are wanted: claims operations and carries them out, beside each other. */
export class StateReconciler {
  readonly #parts: Parts;
  readonly #running = new Map<WorkspaceId, { run: OperationRun; over: Promise<void> }>();
  #turn: Promise<void> = Promise.resolve();
  #closing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins what is due and there is room for. Resolves without waiting for it. One turn at a time. */
  runOnce(): Promise<void> {
    const turn = this.#turn.then(() => this.#begin());
    this.#turn = turn.catch(() => {}); // whoever asked for it sees it
    return turn;
  }

  async #begin(): Promise<void> {
    const { database, parallel, log } = this.#parts;
    if (this.#closing || this.#running.size >= parallel) return;
    const [rows, now] = await Promise.all([database.workspaces.reads.unsettled(ROWS), database.now()]);
    for (const row of rows) {
      if (this.#closing || this.#running.size >= parallel) return;
      if (this.#running.has(row.id)) continue;
      const plan = planOperation(row, now);
      if (plan.kind !== 'begin' && plan.kind !== 'take-over') continue;
      try {
        const claimed = await this.#claim(row, plan);
        if (claimed === undefined) continue;
        if (this.#closing) await this.#leave(claimed);
        else this.#carryOut(claimed);
      } catch (error) {
        log.error({ err: error, workspace_id: row.id }, 'an operation on a workspace could not be begun');
      }
    }
  }

  /** How many are under way here. */
  get underWay(): number {
    return this.#running.size;
  }

  /** What is under way is left to others, at once. */
  async close(): Promise<void> {
    this.#closing = true;
    const all = [...this.#running.values()];
    for (const { run } of all) run.stop();
    await this.#turn;
    await Promise.all(all.map(({ over }) => over));
  }

  #claim(
    row: WorkspaceRow,
    plan: { kind: 'begin' | 'take-over'; operation: OperationKind },
  ): Promise<WorkspaceRow | undefined> {
    const { reconciler } = this.#parts.database.workspaces;
    const opId = randomUUID();
    const archives = plan.operation === 'ARCHIVING' && row.homeFrom !== null;
    const operation: NewOperation = {
      workspace: row.id,
      kind: plan.operation,
      opId,
      owner: this.#parts.owner,
      // The container that it is about, should there be another by the time that it is done.
      incarnation: plan.kind === 'begin' ? row.observedIncarnation : (row.operation?.incarnation ?? null),
      pendingArchiveKey: archives ? archiveKey(row.id, opId) : null,
    };
    return plan.kind === 'begin'
      ? reconciler.claim(row, operation)
      : reconciler.takeOver(row, operation, SILENT_SECONDS);
  }

  async #leave({ id, operation }: WorkspaceRow): Promise<OperationOutcome> {
    if (operation === null) return 'superseded'; // just claimed, so there is one
    const { reconciler } = this.#parts.database.workspaces;
    const left = await reconciler.release({ workspace: id, opId: operation.id });
    return left === 'done' ? 'released' : 'superseded';
  }

  /** Left to whoever comes first as soon as the database is back: until its heart is silent nobody else would come. */
  async #leaveOnceItCanBe(row: WorkspaceRow): Promise<OperationOutcome> {
    const giveUp = performance.now() + SILENT_SECONDS * 1000;
    while (!this.#closing && performance.now() < giveUp) {
      await sleep(AGAIN_MS, undefined, { ref: false });
      const left = await this.#leave(row).catch(() => undefined); // away still
      if (left !== undefined) return left;
    }
    return 'superseded';
  }

  #carryOut(row: WorkspaceRow): void {
    const { database, steps, seconds, log, onEnd } = this.#parts;
    const { operation } = row;
    if (operation === null) return; // just claimed, so there is one
    const began = performance.now();
    const run = new OperationRun({ database, log }, row, operation);
    log.info({ workspace_id: row.id, operation: operation.kind }, 'began an operation on a workspace');
    const over = run
      .run(steps[operation.kind], seconds?.[operation.kind])
      .catch((error) => {
        log.error({ err: error, workspace_id: row.id }, 'how an operation ended could not be written');
        return this.#leaveOnceItCanBe(row);
      })
      .then((outcome) => {
        this.#running.delete(row.id);
        onEnd(operation.kind, outcome, (performance.now() - began) / 1000);
      });
    this.#running.set(row.id, { run, over });
  }
}
