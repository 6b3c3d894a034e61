import { randomInt } from 'node:crypto';
import type { ApiKey } from '../access/api-key.ts';
import { type ImageSettings, resolveImage } from '../containers/allowed-images.ts';
import { BerthError } from '../contracts/errors.ts';
import { parseWorkspaceId, type TenantId, type WorkspaceId } from '../contracts/ids.ts';
import type { DatabaseOf } from '../database/database.ts';
import type { WorkspaceRow, WorkspaceState } from '../database/workspace-row.ts';
import type { RunningLimits, Settings } from '../database/workspaces.ts';
import { type DatabaseDirectory, granted, refused } from './workspace-directory.ts';

const ID_LENGTH = 10;
const ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

interface Parts {
  database: DatabaseOf<'api'>;
  directory: DatabaseDirectory;
  images: ImageSettings;
  limits: RunningLimits;
  /** Something is to be done: look at it now. */
  hint: () => void;
}

export interface NewWorkspaceWords {
  id?: WorkspaceId | undefined;
  name?: string | null | undefined;
  imageRef?: string | undefined;
  standbyTtlSeconds?: number | null | undefined;
  archiveTtlSeconds?: number | 'never' | undefined;
  desiredState: WorkspaceState;
}

export type ChangeWords = Omit<NewWorkspaceWords, 'id' | 'desiredState'> & {
  desiredState?: WorkspaceState | undefined;
};

/** What users do with workspaces: they say what they want, and read what there is. */
export class Workspaces {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async create(key: ApiKey, words: NewWorkspaceWords): Promise<WorkspaceRow> {
    const { database, hint } = this.#parts;
    const id = words.id ?? freshId();
    const result = await database.workspaces.api.create(
      {
        id,
        tenant: key.tenant,
        keyName: key.name,
        name: words.name ?? null,
        imageRef: this.#image(words.imageRef),
        standbyTtlSeconds: words.standbyTtlSeconds ?? null,
        archiveTtlSeconds: words.archiveTtlSeconds ?? null,
        desiredState: words.desiredState,
      },
      this.#limits(key),
    );
    if (result.kind === 'exists')
      throw new BerthError('WORKSPACE_EXISTS', `there is, or was, a workspace ${id}`);
    if (result.kind !== 'done') throw refused(result);
    hint();
    return result.row;
  }

  async get(tenant: TenantId, id: WorkspaceId): Promise<WorkspaceRow> {
    const row = await this.#parts.database.workspaces.reads.get(id);
    return this.#own(tenant, id, row);
  }

  list(tenant: TenantId, page: { limit: number; after?: WorkspaceId }): Promise<WorkspaceRow[]> {
    return this.#parts.database.workspaces.reads.list(tenant, page);
  }

  /** Settings first: what is wanted of it is wanted with them. */
  async change(
    key: ApiKey,
    id: WorkspaceId,
    { desiredState, imageRef, ...words }: ChangeWords,
  ): Promise<WorkspaceRow> {
    const { database, hint } = this.#parts;
    const { api } = database.workspaces;
    const settings: Settings = {
      ...withoutUndefined(words),
      ...(imageRef === undefined ? {} : { imageRef: this.#image(imageRef) }),
    };
    let row: WorkspaceRow | undefined;
    if (Object.keys(settings).length > 0) row = granted(id, await api.change(key.tenant, id, settings));
    if (desiredState !== undefined) {
      row = granted(id, await api.desire(key.tenant, id, desiredState, this.#limits(key)));
      hint();
    }
    return row ?? this.get(key.tenant, id);
  }

  async retry(tenant: TenantId, id: WorkspaceId): Promise<WorkspaceRow> {
    const row = granted(id, await this.#parts.database.workspaces.api.retry(tenant, id));
    this.#parts.hint();
    return row;
  }

  async delete(tenant: TenantId, id: WorkspaceId): Promise<void> {
    granted(id, await this.#parts.database.workspaces.api.requestDelete(tenant, id));
    this.#parts.hint();
  }

  /** The workspace now, and again whenever it may have changed, until it is deleted or nobody listens. */
  async *follow(tenant: TenantId, id: WorkspaceId, signal: AbortSignal): AsyncGenerator<WorkspaceRow> {
    const { directory } = this.#parts;
    yield await this.get(tenant, id);
    for (;;) {
      await directory.changed(signal);
      const row = await directory.find(id);
      yield row === undefined ? await this.#deleted(id) : this.#own(tenant, id, row);
      if (row === undefined) return;
    }
  }

  async #deleted(id: WorkspaceId): Promise<WorkspaceRow> {
    const row = await this.#parts.database.workspaces.reads.get(id);
    if (row === undefined) throw new BerthError('WORKSPACE_NOT_FOUND', `there is no workspace ${id}`);
    return row;
  }

  #own(tenant: TenantId, id: WorkspaceId, row: WorkspaceRow | undefined): WorkspaceRow {
    if (row === undefined || row.tenant !== tenant || row.deletedAt !== null)
      throw new BerthError('WORKSPACE_NOT_FOUND', `there is no workspace ${id}`);
    return row;
  }

  #limits(key: ApiKey): RunningLimits {
    const ofTenant = key.limits?.workspaces;
    return { ...this.#parts.limits, ...(ofTenant === undefined ? {} : { ofTenant }) };
  }

  #image(wanted: string | undefined): string {
    const found = resolveImage(wanted, this.#parts.images);
    if (found.kind === 'image') return found.image;
    throw new BerthError(found.kind === 'malformed' ? 'INVALID_REQUEST' : 'FORBIDDEN', found.detail);
  }
}

function freshId(): WorkspaceId {
  for (;;) {
    const text = Array.from({ length: ID_LENGTH }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join(
      '',
    );
    const id = parseWorkspaceId(text);
    if (id !== undefined) return id;
  }
}

function withoutUndefined<T extends object>(words: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const told = Object.entries(words).filter(([, value]) => value !== undefined);
  return Object.fromEntries(told) as { [K in keyof T]: Exclude<T[K], undefined> }; // the cast: filtered just now
}
