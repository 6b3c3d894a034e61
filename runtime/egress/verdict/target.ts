import { isPort } from '../../contracts/allow-entry.ts';
import { type CanonicalHost, parseHost } from './canonical-host.ts';
import { Refusal, type Target } from './refusal.ts';

export interface HttpTarget extends Target {
  /** Origin form: path and query as the client sent them. */
  readonly path: string;
}

const VISIBLE = /^[\x21-\x7e]+$/;

/** The target of a CONNECT: a host and a port, nothing else. Throws a `malformed` refusal. */
export function parseConnectTarget(text: string): Target {
  const target = VISIBLE.test(text) ? parseAuthority(text) : undefined;
  if (target?.port === undefined) {
    throw new Refusal('malformed', 'CONNECT takes host:port, with a plain host name or address.');
  }
  return { host: target.host, port: target.port };
}

/** The target of a request in absolute form. Throws a `malformed` refusal. */
export function parseHttpTarget(text: string): HttpTarget {
  const [, authority, rest] = /^http:\/\/([^/?#]+)([^#]*)$/i.exec(text) ?? [];
  if (authority === undefined || rest === undefined || !VISIBLE.test(text)) {
    throw new Refusal(
      'malformed',
      'A request through the proxy names an absolute http:// URL without a fragment; for https use CONNECT.',
    );
  }
  const target = parseAuthority(authority);
  if (!target) {
    throw new Refusal('malformed', 'The URL takes a plain host name or address and a port, and no user.');
  }
  return { host: target.host, port: target.port ?? 80, path: rest.startsWith('/') ? rest : `/${rest}` };
}

function parseAuthority(text: string): { host: CanonicalHost; port?: number } | undefined {
  const [, name, port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? [];
  const host = name === undefined ? undefined : parseHost(name);
  if (!host) return undefined;
  if (port === undefined) return { host };
  return isPort(port) ? { host, port: Number(port) } : undefined;
}
