import { BerthError } from '../../contracts/errors.ts';
import type { TenantId, WorkspaceId } from '../../contracts/ids.ts';
import type { WorkspaceRow } from '../../database/workspace-row.ts';
import type { WorkspaceDirectory } from '../../workspaces/running-workspace.ts';
import { sendJson } from '../send-json.ts';
import { sessionCookie, sessionCookies } from './cookies.ts';
import { SESSION_SECONDS, type Sessions } from './sessions.ts';
import { rootOf, type Visit } from './visit.ts';
import { waitingOf } from './waiting.ts';
import { reached } from './wakes.ts';
import { OWN_PATHS } from './workspace-address.ts';

const SESSION = `${OWN_PATHS}session`;
const STATUS = `${OWN_PATHS}status`;
const RETRY = `${OWN_PATHS}retry`;

interface Parts {
  directory: WorkspaceDirectory;
  sessions: Sessions;
  /** Clears an error, by saying again what was wanted. */
  retry: (tenant: TenantId, id: WorkspaceId) => Promise<unknown>;
}

/** What a workspace's address answers itself: the link's exchange, how far it is, and trying again. */
export class OwnPaths {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Nobody has to be let in for it: it is what lets in. */
  isExchange({ address }: Visit): boolean {
    return pathOf(address.path) === SESSION;
  }

  has({ address }: Visit): boolean {
    return `${pathOf(address.path)}/`.startsWith(OWN_PATHS);
  }

  /** A link's token for a cookie, once. */
  async exchange(visit: Visit): Promise<void> {
    const { request, response, address } = visit;
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Referrer-Policy', 'no-referrer');
    only('GET', visit);
    const { id } = address;
    // What a browser fetches ahead is not opened by anybody yet.
    const ahead = request.headers['sec-purpose'] !== undefined || request.headers.purpose === 'prefetch';
    const token = new URLSearchParams(address.path.slice(SESSION.length)).get('token') ?? '';
    if (id === undefined || ahead || !(await this.#redeem(visit, id, token))) {
      throw new BerthError('UNAUTHENTICATED', 'this link was used, has run out, or is none: ask for another');
    }
    see(visit);
  }

  async serve(visit: Visit, row: WorkspaceRow): Promise<void> {
    const { response, address } = visit;
    const path = pathOf(address.path);
    response.setHeader('Cache-Control', 'no-store');
    if (path === STATUS) {
      only('GET', visit);
      const running = await reached(this.#parts.directory, row);
      sendJson(response, 200, waitingOf(row, running !== undefined));
    } else if (path === RETRY) {
      only('POST', visit);
      await this.#parts.retry(row.tenant, row.id);
      see(visit);
    } else {
      throw new BerthError('ROUTE_NOT_FOUND', `there is no ${path}`);
    }
  }

  async #redeem(
    { request, response, address, facts }: Visit,
    id: WorkspaceId,
    token: string,
  ): Promise<boolean> {
    const { sessions, directory } = this.#parts;
    const link = sessions.openToken(token, id);
    const row = link && (await directory.find(id));
    if (link !== undefined && row?.tenant === link.key.tenant && (await sessions.use(link.id))) {
      const secure = facts.protocol === 'https';
      const value = sessions.cookie(id, link.key);
      const cookie = sessionCookie(value, { prefix: address.prefix, secure, seconds: SESSION_SECONDS });
      response.setHeader('Set-Cookie', cookie);
      return true;
    }
    // Whoever has a session needs no link: they came back to one that they had used.
    return sessionCookies(request.headers.cookie).some((value) => sessions.open(value, id) !== undefined);
  }
}

function see(visit: Visit): void {
  visit.response.statusCode = 303;
  visit.response.setHeader('Location', rootOf(visit));
  visit.response.setHeader('Content-Length', 0);
  visit.response.end();
}

function only(method: string, { request }: Visit): void {
  if (request.method === method) return;
  throw new BerthError('METHOD_NOT_ALLOWED', `this takes ${method}, not ${request.method}`, {
    allow: [method],
  });
}

function pathOf(pathAndQuery: string): string {
  return pathAndQuery.split('?', 1)[0] ?? '';
}
