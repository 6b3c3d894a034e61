import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { WorkspaceId } from '../../contracts/ids.ts';
import type { ProxyWrites } from '../../database/workspaces.ts';
import type { ActivityStore } from '../../state/activity-store.ts';

const BEAT_MS = 30_000;
const ACCESS_MS = 60_000;

interface Parts {
  activity: Pick<ActivityStore, 'connect' | 'beat' | 'disconnect'>;
  writes: Pick<ProxyWrites, 'connected' | 'accessed'>;
  log: Logger;
  /** How long the last one counts after it has closed, so that a page of many requests is one connection. */
  lingerMs: number;
}

/** What this instance has open to one workspace: one connection to the store, however many there are. */
interface Entry {
  id: WorkspaceId;
  open: number;
  idleSeconds: number;
  /** The store is told, or about to be told, that there is one. */
  told: boolean;
  lingering: NodeJS.Timeout | undefined;
  /** What the store is told goes out in this order. */
  order: Promise<void>;
  accessedAt: number;
}

/** Counts who is connected. A store or database that is away stops nobody. */
export class OpenConnections {
  readonly #parts: Parts;
  readonly #connection = randomUUID();
  readonly #entries = new Map<WorkspaceId, Entry>();
  readonly #beating: NodeJS.Timeout;
  #away = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#beating = setInterval(() => void this.beat(), BEAT_MS).unref();
  }

  /** One more, until it is disposed of. `idleSeconds`: how long the workspace is left running after its last one. */
  open(id: WorkspaceId, idleSeconds: number): Disposable {
    const entry = this.#entry(id);
    entry.open += 1;
    entry.idleSeconds = idleSeconds;
    clearTimeout(entry.lingering);
    if (!entry.told) {
      entry.told = true;
      this.#next(entry, () => this.#connect(entry));
    }
    this.#access(entry);
    let closed = false;
    return {
      [Symbol.dispose]: () => {
        if (closed) return;
        closed = true;
        entry.open -= 1;
        if (entry.open === 0) entry.lingering = setTimeout(() => this.#leave(entry), this.#parts.lingerMs);
      },
    };
  }

  /** Tells the store, and the database once a minute, what is still open. */
  async beat(): Promise<void> {
    const told: Entry[] = [];
    const now = performance.now();
    for (const entry of this.#entries.values()) {
      if (entry.told) told.push(entry);
      else if (now - entry.accessedAt > ACCESS_MS) this.#entries.delete(entry.id);
      if (entry.open > 0) this.#access(entry);
    }
    if (told.length === 0) return;
    const connections = told.map(({ id }) => ({ workspace: id, connection: this.#connection }));
    const before = Promise.all(told.map(({ order }) => order));
    const beat = before.then(() => this.#tell(() => this.#parts.activity.beat(connections))).then(() => {});
    // One that closes meanwhile says so after this beat, which would bring it back.
    for (const entry of told) entry.order = beat;
    await beat;
  }

  /** Every idle timer begins. */
  async close(): Promise<void> {
    clearInterval(this.#beating);
    for (const entry of this.#entries.values()) if (entry.told) this.#leave(entry);
    await Promise.all(Array.from(this.#entries.values(), ({ order }) => order));
  }

  async #connect({ id }: Entry): Promise<void> {
    const found = await this.#tell(() => this.#parts.activity.connect(id, this.#connection));
    // Not knowing is taken for the first: its user's word then stands against whoever finds it idle.
    if (found?.first !== false) await this.#tell(() => this.#parts.writes.connected(id));
  }

  #leave(entry: Entry): void {
    clearTimeout(entry.lingering);
    entry.told = false;
    this.#access(entry);
    const { activity } = this.#parts;
    this.#next(entry, async () => {
      await this.#tell(() => activity.disconnect(entry.id, this.#connection, entry.idleSeconds));
    });
  }

  #access(entry: Entry): void {
    const now = performance.now();
    if (now - entry.accessedAt < ACCESS_MS) return;
    entry.accessedAt = now;
    void this.#tell(() => this.#parts.writes.accessed(entry.id));
  }

  #next(entry: Entry, act: () => Promise<void>): void {
    entry.order = entry.order.then(act);
  }

  /** Undefined where it could not be told. Said in the log once, until it works again. */
  async #tell<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await call();
      this.#away = false;
      return result;
    } catch (error) {
      if (!this.#away) this.#parts.log.warn({ err: error }, 'who is connected to workspaces can not be told');
      this.#away = true;
      return undefined;
    }
  }

  #entry(id: WorkspaceId): Entry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const made = {
      id,
      open: 0,
      idleSeconds: 0,
      told: false,
      lingering: undefined,
      order: Promise.resolve(),
      accessedAt: Number.NEGATIVE_INFINITY,
    };
    this.#entries.set(id, made);
    return made;
  }
}
