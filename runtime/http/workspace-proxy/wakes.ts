import { setTimeout as sleep } from 'node:timers/promises';
import { BerthError, isBerthError } from '../../contracts/errors.ts';
import type { WorkspaceId } from '../../contracts/ids.ts';
import type { WorkspaceRow } from '../../database/workspace-row.ts';
import type { RunningWorkspace, WorkspaceDirectory } from '../../workspaces/running-workspace.ts';
import { isInError } from '../../workspaces/workspace-view.ts';

/** How often it is looked whether what is being started runs. */
const LOOK_MS = 300;

interface Parts {
  directory: WorkspaceDirectory;
  /** Longest that a request is held. */
  seconds: number;
}

/** Workspaces that are being woken, each once, however many wait for it. Who goes away stops waiting, not the waking. */
export class Wakes {
  readonly #parts: Parts;
  readonly #underWay = new Map<WorkspaceId, Promise<RunningWorkspace>>();
  readonly #closed = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  wake(id: WorkspaceId): Promise<RunningWorkspace> {
    const known = this.#underWay.get(id);
    if (known !== undefined) return known;
    const waking = this.#wake(id).finally(() => this.#underWay.delete(id));
    waking.catch(() => {}); // whoever waits is told; there may be nobody
    this.#underWay.set(id, waking);
    return waking;
  }

  /** Waits for what is wanted RUNNING already, and wakes nothing. */
  async started(id: WorkspaceId, signal: AbortSignal): Promise<RunningWorkspace> {
    const { directory, seconds } = this.#parts;
    const until = performance.now() + seconds * 1000;
    for (;;) {
      const row = await directory.find(id);
      const running = row && (await reached(directory, row));
      if (running !== undefined) return running;
      if (row?.desiredState !== 'RUNNING' || isInError(row) || performance.now() > until) {
        throw new BerthError(
          'WORKSPACE_UNAVAILABLE',
          `${id} does not run, and a WebSocket alone wakes nothing that its user put to rest`,
        );
      }
      await unless(AbortSignal.any([signal, this.#closed.signal]), sleep(LOOK_MS));
    }
  }

  close(): void {
    this.#closed.abort(new BerthError('SHUTTING_DOWN', 'the service is shutting down', { retry_after: 5 }));
  }

  async #wake(id: WorkspaceId): Promise<RunningWorkspace> {
    const { directory, seconds } = this.#parts;
    const late = AbortSignal.timeout(seconds * 1000);
    try {
      return await directory.wake(id, AbortSignal.any([late, this.#closed.signal]));
    } catch (error) {
      if (!late.aborted && !isBerthError(error, 'CONTAINER_NOT_FOUND')) throw error;
      const detail = late.aborted ? `${id} does not run yet, after ${seconds} s` : `${id} does not run yet`;
      throw new BerthError('WORKSPACE_UNAVAILABLE', detail, { retry_after: 5 }, error);
    }
  }
}

/** Undefined where it can't be reached yet, or any more. */
export async function reached(
  directory: WorkspaceDirectory,
  row: WorkspaceRow,
): Promise<RunningWorkspace | undefined> {
  try {
    return await directory.reach(row);
  } catch (error) {
    if (isBerthError(error, 'CONTAINER_NOT_FOUND')) return undefined; // it went since it was seen
    throw error;
  }
}

/** What a promise gives, unless the signal comes first: then its reason is thrown. */
export async function unless<Result>(signal: AbortSignal, promise: Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
