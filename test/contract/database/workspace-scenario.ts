import { parseTenantId, parseWorkspaceId, type WorkspaceId } from '../../../runtime/contracts/ids.ts';
import type { Database } from '../../../runtime/database/database.ts';
import {
  NOTHING,
  type OperationKind,
  type WorkspaceRow,
  type WorkspaceState,
} from '../../../runtime/database/workspace-row.ts';
import type { NewWorkspace, RunningLimits } from '../../../runtime/database/workspaces.ts';
import { must } from '../../support/must.ts';

export const tenant = (name = 'acme') => must(parseTenantId(name));
export const workspace = (name = 'one'): WorkspaceId => must(parseWorkspaceId(name));
export const NO_LIMITS: RunningLimits = { all: 1000, ofKey: 1000 };

/** Calls the database with defaults. */
export class WorkspaceScenario {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A workspace that is wanted RUNNING, of which nothing was seen yet. */
  async made(words: Partial<NewWorkspace> = {}): Promise<WorkspaceRow> {
    const result = await this.#database.workspaces.api.create(this.wanted(words), NO_LIMITS);
    if (result.kind !== 'done') throw new Error(result.kind);
    return result.row;
  }

  wanted(words: Partial<NewWorkspace> = {}): NewWorkspace {
    return {
      id: workspace(),
      tenant: tenant(),
      keyName: 'key',
      name: null,
      imageRef: 'editor:1',
      standbyTtlSeconds: null,
      archiveTtlSeconds: null,
      desiredState: 'RUNNING',
      ...words,
    };
  }

  async row(id = workspace()): Promise<WorkspaceRow> {
    return must(await this.#database.workspaces.reads.get(id));
  }

  /** As the monitor sees it now. */
  async observe(status: WorkspaceState, id = workspace()): Promise<void> {
    const incarnation = status === 'RUNNING' ? `engine-id-of-${id}` : null;
    await this.#database.workspaces.monitor.observe(id, { status, incarnation }, await this.#database.now());
  }

  async settled(state: WorkspaceState, words: Partial<NewWorkspace> = {}): Promise<WorkspaceRow> {
    const { id } = await this.made({ desiredState: state, ...words });
    if (state !== 'PENDING') await this.#provisioned(id);
    await this.observe(state, id);
    return this.row(id);
  }

  async #provisioned(id: WorkspaceId): Promise<void> {
    await this.begun('PROVISIONING', 'op-0', id);
    const { reconciler } = this.#database.workspaces;
    await reconciler.finish({ workspace: id, opId: 'op-0' }, { homeFrom: NOTHING });
  }

  operation(kind: OperationKind, opId: string, words: { id?: WorkspaceId; owner?: string } = {}) {
    const { id = workspace(), owner = 'one' } = words;
    const pendingArchiveKey = kind === 'ARCHIVING' ? `archives/${id}/${opId}` : null;
    return { workspace: id, kind, opId, owner, incarnation: null, pendingArchiveKey };
  }

  /** An operation that this one has begun. */
  async begun(kind: OperationKind, opId = 'op-1', id = workspace()): Promise<WorkspaceRow> {
    const seen = await this.row(id);
    return must(await this.#database.workspaces.reconciler.claim(seen, this.operation(kind, opId, { id })));
  }

  async unsettled(): Promise<string[]> {
    return (await this.#database.workspaces.reads.unsettled(100)).map(({ id }) => id);
  }
}
