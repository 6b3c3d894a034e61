import type { IncomingMessage } from 'node:http';
import type { Policy } from '../gate.ts';
import type { RoutePlan, RouteRefusal } from '../route-plan.ts';
import type { AllowMatch } from '../verdict/allow-list.ts';
import { type CanonicalHost, inUrl, parseHost } from '../verdict/canonical-host.ts';
import { Refusal } from '../verdict/refusal.ts';
import { assertAllowed } from '../verdict/resolve-target.ts';
import { parseHttpTarget } from '../verdict/target.ts';
import type { Destination } from './destination.ts';
import { requestHeaders } from './forwarded-headers.ts';
import type { Framing } from './request-framing.ts';

/** A request as it goes out. */
export interface Outgoing {
  readonly destination: Destination;
  readonly method: string;
  readonly path: string;
  /** Name, value, name, value: all of them but `Connection`, with `Host` and the body's framing. */
  readonly headers: readonly string[];
  /** `bytes` and `chunks`: the client's, as it comes, framed like that. */
  readonly body: 'none' | 'bytes' | 'chunks' | Buffer;
}

/** Methods that have a body as a rule, and so say when they have none. */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** What goes out for a request in absolute form. Throws a Refusal. */
export function outgoingOf(request: IncomingMessage, framing: Framing, policy: Policy): Outgoing {
  const { path, ...target } = parseHttpTarget(request.url ?? '');
  const match = policy.allowed.match(target.host, target.port);
  assertAllowed(match, target);
  const method = request.method ?? '';
  return {
    destination: { ...target, secure: false, match },
    method,
    path,
    headers: [
      ...hostHeader(target.host, target.port, 80),
      ...requestHeaders(request.rawHeaders),
      ...framingHeaders(method, framing),
    ],
    body: bodyOf(framing),
  };
}

/** Where a plan goes, judged as any other target is. Throws a Refusal. */
export function destinationOf(plan: RoutePlan, policy: Policy): Destination {
  const host = parseHost(
    plan.target.host.includes(':') && !plan.target.host.startsWith('[')
      ? `[${plan.target.host}]`
      : plan.target.host,
  );
  if (!host)
    throw new Refusal('malformed', 'The rule for this path names a host that is none.', { status: 403 });
  const target = { host, port: plan.target.port };
  const match = matchOf(plan, policy, host);
  assertAllowed(match, target);
  if (plan.secret && !plan.target.secure && match !== 'internal') {
    throw new Refusal(
      'insecure_target',
      `What is added for ${host} is secret and does not go over plain http: the rule needs an https:// URL, or the operator an internal: entry.`,
      { target },
    );
  }
  return { ...target, secure: plan.target.secure, match };
}

function matchOf(plan: RoutePlan, policy: Policy, host: CanonicalHost): AllowMatch {
  if (plan.namedBy === 'tenant') return policy.mcp.match(host, plan.target.port);
  return policy.allowed.match(host, plan.target.port) === 'internal' ? 'internal' : 'yes';
}

/** What goes out for a plan, with its body streamed or gathered. */
export function outgoingOfPlan(
  plan: RoutePlan,
  destination: Destination,
  headers: readonly (readonly [name: string, value: string])[],
  body: Framing | Buffer,
): Outgoing {
  const framing: Framing = Buffer.isBuffer(body) ? { kind: 'length', bytes: body.length } : body;
  return {
    destination,
    method: plan.method,
    path: plan.path,
    headers: [
      ...hostHeader(destination.host, destination.port, destination.secure ? 443 : 80),
      // Through the same sieve: no rule sets framing.
      ...requestHeaders(headers.flat()),
      ...framingHeaders(plan.method, framing),
    ],
    body: Buffer.isBuffer(body) ? body : bodyOf(body),
  };
}

export function isRefused(planned: RoutePlan | RouteRefusal): planned is RouteRefusal {
  return 'refused' in planned;
}

function hostHeader(host: CanonicalHost, port: number, usual: number): string[] {
  return ['Host', port === usual ? inUrl(host) : `${inUrl(host)}:${port}`];
}

function framingHeaders(method: string, framing: Framing): string[] {
  if (framing.kind === 'chunked') return ['Transfer-Encoding', 'chunked'];
  if (framing.kind === 'length') return ['Content-Length', String(framing.bytes)];
  return WITH_BODY.has(method) ? ['Content-Length', '0'] : [];
}

function bodyOf(framing: Framing): 'none' | 'bytes' | 'chunks' {
  if (framing.kind === 'chunked') return 'chunks';
  return framing.kind === 'none' || framing.bytes === 0 ? 'none' : 'bytes';
}
