import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerBackend } from '../containers/container-backend.ts';
import { BerthError, ERRORS, type ErrorCode } from '../contracts/errors.ts';
import { type WorkspaceId, workspaceContainerId } from '../contracts/ids.ts';
import type { DatabaseOf } from '../database/database.ts';
import type { WorkspaceRow } from '../database/workspace-row.ts';
import type { Desired, RunningLimits } from '../database/workspaces.ts';
import type { ActivityStore } from '../state/activity-store.ts';
import { WORKSPACE_PORT } from './instance-controller.ts';
import { type Prove, ProvenAddresses } from './proven-addresses.ts';
import type { RunningWorkspace, WorkspaceDirectory } from './running-workspace.ts';
import { isInError } from './workspace-view.ts';

const FRESH_MS = 1_000;
/** A hint may be lost, or come too soon after the last look. */
const ASK_AGAIN_MS = 3_000;
/** Without a hint it is looked again so often. */
const LOOK_MS = 500;

interface Parts {
  database: DatabaseOf<'proxy'>;
  backend: Pick<ContainerBackend, 'endpoint'>;
  activity: Pick<ActivityStore, 'hint' | 'onHint'>;
  limits: RunningLimits;
  prove: Prove;
}

interface Known {
  row: Promise<WorkspaceRow | undefined>;
  at: number;
}

/** Workspaces by their rows, each read once a second at most, however many ask. */
export class DatabaseDirectory implements WorkspaceDirectory {
  readonly #parts: Parts;
  readonly #known = new Map<WorkspaceId, Known>();
  readonly #addresses: ProvenAddresses;
  readonly #hints = new EventTarget();
  readonly #quiet: () => void;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#addresses = new ProvenAddresses(parts.prove);
    this.#quiet = parts.activity.onHint(() => {
      this.#known.clear();
      this.#hints.dispatchEvent(new Event('hint'));
    });
  }

  close(): void {
    this.#quiet();
  }

  async find(id: WorkspaceId): Promise<WorkspaceRow | undefined> {
    const row = await this.#read(id);
    return row === undefined || row.deletedAt !== null ? undefined : row;
  }

  async reach(row: WorkspaceRow): Promise<RunningWorkspace | undefined> {
    const { observedStatus, observedIncarnation: incarnation, operation } = row;
    if (observedStatus !== 'RUNNING' || incarnation === null || operation !== null) return undefined;
    const { backend } = this.#parts;
    const container = workspaceContainerId(row.id);
    const endpoint = await backend.endpoint(container, WORKSPACE_PORT, { engineId: incarnation });
    const isTheirs = await this.#addresses.isTheirs(container, incarnation, endpoint);
    return isTheirs ? { incarnation, endpoint } : undefined;
  }

  async wake(id: WorkspaceId, signal: AbortSignal): Promise<RunningWorkspace> {
    const { database, limits, activity } = this.#parts;
    const row = granted(id, await database.workspaces.proxy.wake(id, limits));
    this.#known.delete(id);
    if (row.observedStatus !== 'RUNNING' || row.operation !== null) activity.hint();
    let askedAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      signal.throwIfAborted();
      const now = await this.find(id);
      if (now === undefined) throw new BerthError('WORKSPACE_NOT_FOUND', `there is no workspace ${id}`);
      const running = await this.reach(now);
      if (running !== undefined) return running;
      if (now.deleteRequestedAt !== null)
        throw new BerthError('WORKSPACE_DELETING', `${id} is being deleted`);
      if (isInError(now) && now.error !== null)
        throw new BerthError(codeOf(now.error.code), now.error.message);
      // Seen RUNNING, and not to be reached: only a new look finds out what became of it.
      const isOutdated = now.observedStatus === 'RUNNING' && now.operation === null;
      if (isOutdated && performance.now() - askedAt > ASK_AGAIN_MS) {
        askedAt = performance.now();
        activity.hint();
      }
      await this.changed(signal);
    }
  }

  /** Resolves when something may have changed. */
  async changed(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    try {
      await Promise.race([
        once(this.#hints, 'hint', { signal: either }),
        sleep(LOOK_MS, undefined, { signal: either }),
      ]);
    } catch {
      signal.throwIfAborted();
    } finally {
      over.abort();
    }
  }

  #read(id: WorkspaceId): Promise<WorkspaceRow | undefined> {
    const now = performance.now();
    const known = this.#known.get(id);
    if (known !== undefined && now - known.at < FRESH_MS) return known.row;
    const row = this.#parts.database.workspaces.reads.get(id);
    this.#known.set(id, { row, at: now });
    // Neither what failed nor what was long ago is kept.
    row.catch(() => this.#known.delete(id));
    const forget = () => {
      if (this.#known.get(id)?.row === row) this.#known.delete(id);
    };
    setTimeout(forget, FRESH_MS).unref();
    return row;
  }
}

/** The row, or why the word was refused. */
export function granted(id: WorkspaceId, result: Desired): WorkspaceRow {
  switch (result.kind) {
    case 'done':
      return result.row;
    case 'missing':
      throw new BerthError('WORKSPACE_NOT_FOUND', `there is no workspace ${id}`);
    case 'deleting':
      throw new BerthError('WORKSPACE_DELETING', `${id} is being deleted`);
    default:
      throw refused(result);
  }
}

export function refused({
  kind,
  limit,
  used,
}: {
  kind: 'no-room' | 'over-quota';
  limit: number;
  used: number;
}) {
  return kind === 'no-room'
    ? new BerthError('CAPACITY_EXCEEDED', `${used} workspaces are wanted RUNNING, of ${limit} that may be`, {
        limit,
        used,
        retry_after: 30,
      })
    : new BerthError('QUOTA_EXCEEDED', `this key has ${used} workspaces, of ${limit} that it may have`, {
        limit,
        used,
      });
}

/** Codes are kept as they were; one of another version may be none any more. */
function codeOf(code: string): ErrorCode {
  return Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'WORKSPACE_UNAVAILABLE'; // the cast: just looked up
}
