import type { Instant } from '../../contracts/conversation-record.ts';
import type { WorkspaceId } from '../../contracts/ids.ts';
import { type ActivityStore, CONNECTION_SILENT_SECONDS, type OpenConnection } from '../activity-store.ts';
import { ms } from './memory-records.ts';

/** Who uses which workspace, in this process. */
export class MemoryActivityStore implements ActivityStore {
  readonly #clock: { now(): Instant };
  /** Workspace → connection → its last heartbeat. */
  readonly #connections = new Map<WorkspaceId, Map<string, Instant>>();
  /** Workspace → until when it is left running. */
  readonly #timers = new Map<WorkspaceId, Instant>();
  /** Name → until when it is used up. */
  readonly #used = new Map<string, Instant>();
  readonly #listeners = new Set<() => void>();
  /** When it was first asked who uses what. */
  #since: Instant | undefined;

  constructor(clock: { now(): Instant }) {
    this.#clock = clock;
  }

  async connect(workspace: WorkspaceId, connection: string): Promise<{ first: boolean }> {
    const live = this.#live(workspace);
    live.delete(connection);
    const first = live.size === 0;
    this.#note(workspace, connection);
    this.#timers.delete(workspace);
    return { first };
  }

  async beat(connections: readonly OpenConnection[]): Promise<void> {
    for (const { workspace, connection } of connections) this.#note(workspace, connection);
  }

  async disconnect(workspace: WorkspaceId, connection: string, idleSeconds: number): Promise<void> {
    const live = this.#live(workspace);
    live.delete(connection);
    if (live.size > 0) return;
    this.#connections.delete(workspace);
    await this.armTimer(workspace, idleSeconds);
  }

  async armTimer(workspace: WorkspaceId, idleSeconds: number): Promise<void> {
    forgetLapsed(this.#timers, this.#clock.now());
    this.#timers.set(workspace, this.#clock.now() + ms(idleSeconds));
  }

  async inUse(workspaces: readonly WorkspaceId[]): Promise<Set<WorkspaceId>> {
    const now = this.#clock.now();
    this.#since ??= now;
    if (now - this.#since < ms(CONNECTION_SILENT_SECONDS)) return new Set(workspaces);
    return new Set(workspaces.filter((id) => (this.#timers.get(id) ?? 0) > now || this.#live(id).size > 0));
  }

  async useOnce(name: string, seconds: number): Promise<boolean> {
    const now = this.#clock.now();
    forgetLapsed(this.#used, now);
    if (this.#used.has(name)) return false;
    this.#used.set(name, now + ms(seconds));
    return true;
  }

  hint(): void {
    for (const told of this.#listeners) queueMicrotask(told);
  }

  onHint(listener: () => void): () => void {
    // An own function each time, so that one who listens twice stops once at a time.
    const told = () => listener();
    this.#listeners.add(told);
    return () => this.#listeners.delete(told);
  }

  /** Its connections, without those that are gone. */
  #live(workspace: WorkspaceId): Map<string, Instant> {
    const connections = this.#connections.get(workspace) ?? new Map<string, Instant>();
    forgetLapsed(connections, this.#clock.now() - ms(CONNECTION_SILENT_SECONDS));
    return connections;
  }

  #note(workspace: WorkspaceId, connection: string): void {
    const connections = this.#connections.get(workspace) ?? new Map<string, Instant>();
    this.#connections.set(workspace, connections.set(connection, this.#clock.now()));
  }
}

function forgetLapsed<Name>(times: Map<Name, Instant>, now: Instant): void {
  for (const [name, until] of times) if (until <= now) times.delete(name);
}
