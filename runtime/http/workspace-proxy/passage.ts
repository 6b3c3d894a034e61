import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyRing } from '../../access/key-ring.ts';
import { BerthError } from '../../contracts/errors.ts';
import type { WorkspaceRow } from '../../database/workspace-row.ts';
import type { RunningWorkspace, WorkspaceDirectory } from '../../workspaces/running-workspace.ts';
import { isResting } from '../../workspaces/workspace-view.ts';
import type { Admitted } from './admission.ts';
import { sessionCookie } from './cookies.ts';
import { type Forwarded, forwardRequest } from './forward-request.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import type { OpenConnections } from './open-connections.ts';
import { sendWaitingPage } from './pages.ts';
import { requestHeaders } from './request-headers.ts';
import { SESSION_SECONDS, type Sessions } from './sessions.ts';
import type { Upstreams } from './upstreams.ts';
import { isNavigation, rootOf, type Visit } from './visit.ts';
import { waitingOf } from './waiting.ts';
import { reached, unless, type Wakes } from './wakes.ts';

/** A start that is faster than this needs no page. */
const PAGE_AFTER_MS = 300;

interface Parts {
  directory: WorkspaceDirectory;
  wakes: Wakes;
  upstreams: Upstreams;
  connections: OpenConnections;
  sessions: Sessions;
  ring: KeyRing;
  standbySeconds: number;
}

/** The way of somebody who may enter into the container, which is woken for it. */
export class Passage {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async request(visit: Visit, admitted: Admitted): Promise<void> {
    const row = rowOf(visit);
    const running = await this.#woken(visit, row);
    if (running === undefined) return;
    using _open = this.#open(row);
    using _use = this.#parts.ring.use(admitted.key, () => visit.response.destroy());
    visit.passed = true;
    try {
      await forwardRequest(visit.request, visit.response, this.#to(visit, row, admitted, running));
    } catch (error) {
      visit.passed = false;
      throw error;
    }
  }

  async webSocket(visit: Visit, admitted: Admitted, socket: Socket, head: Buffer): Promise<void> {
    const row = rowOf(visit);
    if (visit.request.headers['transfer-encoding'] !== undefined || visit.request.headers['content-length'])
      throw new BerthError('INVALID_REQUEST', 'the request for a WebSocket has a body');
    const running = await this.#startedFor(visit, row);
    using _open = this.#open(row);
    using _use = this.#parts.ring.use(admitted.key, () => socket.destroy());
    visit.passed = true;
    try {
      const { response } = visit;
      await forwardUpgrade({ socket, head, response }, this.#to(visit, row, admitted, running));
    } catch (error) {
      visit.passed = false;
      throw error;
    }
  }

  /** Undefined: a page that waits was sent instead. */
  async #woken(visit: Visit, row: WorkspaceRow): Promise<RunningWorkspace | undefined> {
    const { directory, wakes } = this.#parts;
    // One that runs but is not wanted to is about to be stopped: whoever comes now is in time.
    if (row.desiredState === 'RUNNING') {
      const running = await reached(directory, row);
      if (running !== undefined) return running;
    }
    const waking = wakes.wake(row.id);
    if (!isNavigation(visit)) return unless(goneSignal(visit), waking);
    const soon = await Promise.race([waking, sleep(PAGE_AFTER_MS, undefined, { ref: false })]);
    if (soon !== undefined) return soon;
    const now = (await directory.find(row.id)) ?? row;
    sendWaitingPage(visit.response, rootOf(visit), waitingOf(now, false));
    return undefined;
  }

  /**
   * A program opens its sockets again by itself, so a WebSocket wakes what rests because nobody was there, and leaves
   * alone what its user has put to rest.
   */
  async #startedFor(visit: Visit, row: WorkspaceRow): Promise<RunningWorkspace> {
    const { directory, wakes } = this.#parts;
    const gone = goneSignal(visit);
    if (isResting(row)) return unless(gone, wakes.wake(row.id));
    return (await reached(directory, row)) ?? (await wakes.started(row.id, gone));
  }

  #open(row: WorkspaceRow): Disposable {
    const { connections, standbySeconds } = this.#parts;
    return connections.open(row.id, row.standbyTtlSeconds ?? standbySeconds);
  }

  #to(visit: Visit, row: WorkspaceRow, admitted: Admitted, running: RunningWorkspace): Forwarded {
    const { request, address, facts, bearer, kind } = visit;
    const { prefix, path } = address;
    return {
      upstream: this.#parts.upstreams.of(row.id, running),
      path,
      headers: requestHeaders(request, {
        facts,
        prefix,
        carriesKey: bearer.ours,
        websocket: kind === 'websocket',
      }),
      prefix,
      host: facts.host,
      setCookie: admitted.session?.aging === true ? this.#renewed(visit, row, admitted) : undefined,
    };
  }

  #renewed({ address, facts }: Visit, { id }: WorkspaceRow, { key }: Admitted): string {
    const secure = facts.protocol === 'https';
    return sessionCookie(this.#parts.sessions.cookie(id, key), {
      prefix: address.prefix,
      secure,
      seconds: SESSION_SECONDS,
    });
  }
}

function rowOf({ row }: Visit): WorkspaceRow {
  if (row === undefined) throw new Error('nobody has looked which workspace it is');
  return row;
}

/** Fires when the client goes. */
function goneSignal({ response }: Visit): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the client has gone')));
  return gone.signal;
}
