import { BerthError } from '../../contracts/errors.ts';
import { parseWorkspaceId, type WorkspaceId } from '../../contracts/ids.ts';
import { isLoopback } from '../../contracts/load-config.ts';

/** Below it everything is ours, and never the container's. */
export const OWN_PATHS = '/.berth/';

/** What a request says of the workspace that it is for. */
export interface WorkspaceAddress {
  /** None: what stands there is no id. */
  id: WorkspaceId | undefined;
  /** What the container does not see of the path: `/w/{id}`, or nothing on a host of its own. */
  prefix: string;
  /** Path and query for the container, as they came; empty for a prefix without a slash after it. */
  path: string;
}

interface Settings {
  /** `WORKSPACE_DOMAIN`. */
  domain: string | undefined;
  /** Where clients reach the API. */
  base: () => string;
  /** Why there are no paths below `/w/`, where there are none. */
  refusal: () => string | undefined;
}

/** Where workspaces are reached: each on a host of its own, or, for one person alone, below `/w/` on the API's. */
export class WorkspaceAddresses {
  readonly #settings: Settings;
  readonly #suffix: string | undefined;
  readonly #port: string | undefined;
  #knownBase: URL | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    const [host, port] = (settings.domain ?? '').toLowerCase().split(':');
    this.#suffix = settings.domain === undefined ? undefined : `.${host}`;
    this.#port = port;
  }

  /** Undefined: it is for the API. */
  of({
    host = '',
    url = '',
  }: {
    host?: string | undefined;
    url?: string | undefined;
  }): WorkspaceAddress | undefined {
    if (this.#suffix === undefined) return belowW(url);
    const name = hostname(host);
    if (!name.endsWith(this.#suffix)) return undefined;
    return { id: parseWorkspaceId(name.slice(0, -this.#suffix.length)), prefix: '', path: url };
  }

  /** Ends with a slash. */
  urlOf(id: WorkspaceId): string {
    const base = this.#base;
    if (this.#suffix === undefined) return `${base.href.replace(/\/*$/, '')}/w/${id}/`;
    const port = this.#port ?? base.port;
    return `${base.protocol}//${id}${this.#suffix}${port === '' ? '' : `:${port}`}/`;
  }

  /** As clients reach us. */
  get protocol(): 'http' | 'https' {
    return this.#base.protocol === 'https:' ? 'https' : 'http';
  }

  /** Throws `NOT_SUPPORTED` where workspaces can't be reached. */
  require(): void {
    const refusal = this.#suffix === undefined ? this.#settings.refusal() : undefined;
    if (refusal !== undefined) throw new BerthError('NOT_SUPPORTED', refusal);
  }

  /** Asked for once there are requests: by then it is known where the service listens. */
  get #base(): URL {
    this.#knownBase ??= new URL(this.#settings.base());
    return this.#knownBase;
  }
}

/**
 * Below `/w/` all workspaces and the API are one origin to a browser: what runs in one may act in another as its user.
 * That is for one person on one machine.
 */
export function pathsRefusal(host: string, tenants: number): string | undefined {
  const way = 'set WORKSPACE_DOMAIN, so that each workspace has a host of its own';
  if (!isLoopback(host)) return `workspaces below /w/ are for loopback only: ${way}`;
  return tenants > 1 ? `workspaces below /w/ are for one tenant only: ${way}` : undefined;
}

/** As it stands: nothing is decoded, so nothing can mean another workspace once it is. */
function belowW(url: string): WorkspaceAddress | undefined {
  const found = /^\/w\/([^/?#]*)(.*)$/s.exec(url);
  if (found === null) return undefined;
  const [, name = '', rest = ''] = found;
  const id = parseWorkspaceId(name);
  return { id, prefix: id === undefined ? '' : `/w/${id}`, path: rest.startsWith('/') ? rest : '' };
}

/** In lower case, without a port and the dot of the root. */
function hostname(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}
