import type { Calls, NewWorkspace, Workspace, WorkspaceChange, WorkspaceSession } from './api.ts';
import { BerthError } from './wire/berth-error.ts';
import type { Caller, CallOptions } from './wire/caller.ts';
import { connection, dataOf } from './wire/connection.ts';
import type { SignOfLife } from './wire/event-parser.ts';
import { pages } from './wire/pages.ts';
import { reconnecting } from './wire/reconnecting.ts';

type Told = Calls['GET /v1/workspaces/{id}/events']['events'];

/** `state_changed` has the workspace as it is then, `progress` what is being done, `error` what failed. */
export type WorkspaceEvent = { [Name in keyof Told]: { type: Name } & Told[Name] }[keyof Told];

const KNOWN: Record<keyof Told, true> = { state_changed: true, progress: true, error: true };

/** Environments that last. */
export class Workspaces {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Never repeated: a second one might be made. */
  create(workspace: NewWorkspace = {}, options: CallOptions = {}): Promise<Workspace> {
    return this.#caller.json('POST /v1/workspaces', { json: workspace, ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<Workspace> {
    return this.#caller.json('GET /v1/workspaces/{id}', { params: { id }, ...options });
  }

  list({ signal }: CallOptions = {}): AsyncGenerator<Workspace, void, undefined> {
    return pages(async (cursor) => {
      const page = await this.#caller.json('GET /v1/workspaces', { query: { cursor }, signal });
      return { items: page.workspaces, next: page.next_cursor };
    });
  }

  update(id: string, change: WorkspaceChange, options: CallOptions = {}): Promise<Workspace> {
    return this.#caller.json('PATCH /v1/workspaces/{id}', { params: { id }, json: change, ...options });
  }

  /** Tries again what failed. */
  retry(id: string, options: CallOptions = {}): Promise<Workspace> {
    return this.#caller.json('POST /v1/workspaces/{id}/retry', { params: { id }, ...options });
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#caller.remove('DELETE /v1/workspaces/{id}', { params: { id }, ...options });
  }

  /** A link that opens it in a browser, once, within a minute. */
  session(id: string, options: CallOptions = {}): Promise<WorkspaceSession> {
    const call = 'POST /v1/workspaces/{id}/sessions';
    return this.#caller.json(call, { params: { id }, harmless: true, ...options });
  }

  /**
   * The workspace as it is now, then what changes, until it is deleted. After a lost connection it goes on with the
   * state that it finds: what came and went meanwhile is not told.
   */
  events(id: string, { signal }: CallOptions = {}): AsyncGenerator<WorkspaceEvent, void, undefined> {
    const seen = new Map<string, string>();
    let over = false;
    const connect = async function* (this: Workspaces): AsyncGenerator<WorkspaceEvent | SignOfLife> {
      const known = new Set(seen.keys()); // the service tells a new connection all of it
      try {
        for await (const heard of this.#events(id, signal)) {
          if (heard === 'comment') {
            yield heard;
            continue;
          }
          const { event, data } = heard;
          const heardBefore = known.delete(event) && seen.get(event) === JSON.stringify(data);
          seen.set(event, JSON.stringify(data));
          // The service's own schema, of which these types are made, says what it has.
          const told = { ...data, type: event } as WorkspaceEvent;
          over ||= told.type === 'state_changed' && told.observed_status === 'DELETED';
          if (!heardBefore) yield told;
        }
      } catch (error) {
        over = seen.size > 0 && error instanceof BerthError && error.code === 'WORKSPACE_NOT_FOUND';
        if (!over) throw error;
      }
    };
    const { settings } = this.#caller;
    return reconnecting({ connect: () => connect.call(this), over: () => over, settings, signal });
  }

  /** Of one connection. */
  async *#events(
    id: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<{ event: string; data: Record<string, unknown> } | SignOfLife> {
    const events = connection({
      open: (until) =>
        this.#caller.once('GET /v1/workspaces/{id}/events', {
          params: { id },
          headers: { accept: 'text/event-stream' },
          signal: until,
        }),
      signal,
      silenceMs: () => this.#caller.settings.silenceMs,
      answersAtOnce: true,
    });
    for await (const wire of events) {
      if (wire === 'comment') {
        yield wire;
        continue;
      }
      const data = dataOf(wire);
      // The stream's own failure, not the workspace's: that has no request.
      if (wire.event === 'error' && typeof data.request_id === 'string')
        throw new BerthError(String(data.code), String(data.message), { requestId: data.request_id });
      if (Object.hasOwn(KNOWN, wire.event)) yield { event: wire.event, data };
    }
  }
}
