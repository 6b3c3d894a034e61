import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ApiKey } from '../../access/api-key.ts';
import type { KeyRing } from '../../access/key-ring.ts';
import type { WorkspaceId } from '../../contracts/ids.ts';
import type { InstallationSecret } from '../../identity/installation-secret.ts';
import type { ActivityStore } from '../../state/activity-store.ts';

/** How long a link waits to be opened. */
export const LINK_SECONDS = 60;
/** How long a session lasts after its last use, give or take half of it. */
export const SESSION_SECONDS = 12 * 3600;
/** How far the clocks of two instances may be apart. */
const SKEW_MS = 30_000;

export interface Session {
  key: ApiKey;
  /** It has lasted half its time, and is due to be renewed. */
  aging: boolean;
}

interface Parts {
  secret: Pick<InstallationSecret, 'sealSession' | 'openSession'>;
  ring: KeyRing;
  activity: Pick<ActivityStore, 'useOnce'>;
  now: () => number;
}

/** The key by its hash: one of the same name that is made later opens nothing that was this one's. */
const sealed = z.object({ workspace: z.string(), key: z.string(), at: z.number(), id: z.string() });
type Sealed = z.infer<typeof sealed>;
/** Most cookies whose content is remembered: a page of many requests shows the same one each time. */
const REMEMBERED = 1000;

/** Links, good once, and the cookies that they are exchanged for. Nothing is stored but that a link was used. */
export class Sessions {
  readonly #parts: Parts;
  readonly #opened = new Map<string, Sealed>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  token(workspace: WorkspaceId, key: ApiKey): { token: string; expiresAt: Date } {
    const at = this.#parts.now();
    return { token: this.#seal('link', workspace, key, at), expiresAt: new Date(at + LINK_SECONDS * 1000) };
  }

  /** Whose link it is, if it is one to this workspace and its time has not run out. */
  openToken(token: string, workspace: WorkspaceId): { key: ApiKey; id: string } | undefined {
    const found = this.#open('link', token, workspace, LINK_SECONDS);
    return found && { key: found.key, id: found.id };
  }

  /** True once. It is remembered for longer than any clock takes the link for valid. */
  use(id: string): Promise<boolean> {
    return this.#parts.activity.useOnce(`session-link:${id}`, LINK_SECONDS * 2);
  }

  cookie(workspace: WorkspaceId, key: ApiKey): string {
    return this.#seal('cookie', workspace, key, this.#parts.now());
  }

  /** Undefined: forged, run out, another workspace's, or of a key that was taken back. */
  open(value: string, workspace: WorkspaceId): Session | undefined {
    const found = this.#open('cookie', value, workspace, SESSION_SECONDS);
    return found && { key: found.key, aging: found.age > (SESSION_SECONDS * 1000) / 2 };
  }

  #seal(use: 'link' | 'cookie', workspace: WorkspaceId, key: ApiKey, at: number): string {
    const content: Sealed = { workspace, key: key.sha256, at, id: randomUUID() };
    return this.#parts.secret.sealSession(use, JSON.stringify(content));
  }

  #open(use: 'link' | 'cookie', value: string, workspace: WorkspaceId, seconds: number) {
    const { ring, now } = this.#parts;
    const content = use === 'cookie' ? this.#remembered(value) : this.#unsealed(use, value);
    if (content === undefined || content.workspace !== workspace) return undefined;
    const age = now() - content.at;
    const key = ring.withHash(content.key);
    if (key === undefined || age >= seconds * 1000 || age < -SKEW_MS) return undefined;
    return { key, age, id: content.id };
  }

  #remembered(value: string): Sealed | undefined {
    const known = this.#opened.get(value);
    if (known !== undefined) return known;
    const content = this.#unsealed('cookie', value);
    if (content === undefined) return undefined;
    if (this.#opened.size >= REMEMBERED) this.#opened.clear();
    this.#opened.set(value, content);
    return content;
  }

  #unsealed(use: 'link' | 'cookie', value: string): Sealed | undefined {
    const text = this.#parts.secret.openSession(use, value);
    return text === undefined ? undefined : sealed.safeParse(JSON.parse(text)).data;
  }
}
