import type { EgressState } from '../../contracts/egress.ts';
import type { RoutePlan, RouteRefusal, RouteRequest } from '../route-plan.ts';
import { baseOf } from './base-url.ts';
import { comparable, forwardedHeaders } from './forwarded-headers.ts';
import { climbs, methodRefusal } from './refusals.ts';
import { joinPath, type RequestPath } from './request-path.ts';

/** `/mcp/{server}` and what is below it: the server's base address, with the rule's headers over the client's. */
export function routeMcp(
  request: RouteRequest,
  { path, query }: RequestPath,
  servers: EgressState['mcp_servers'],
): RoutePlan | RouteRefusal {
  const [, name = '', rest = ''] = /^\/mcp\/([^/]*)(.*)$/.exec(path) ?? [];
  const rule = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (rule === undefined) {
    const message = 'There is no such MCP server. The mcp_servers of this conversation name those there are.';
    return { refused: 'unknown_route', status: 404, message };
  }
  const refusal = methodRefusal(request.method);
  if (refusal !== undefined) return refusal;
  const base = baseOf(rule.real_base_url);
  const joined = joinPath(base.path, rest);
  if (joined === undefined) return climbs();
  const set = Object.entries(rule.headers);
  const names = new Set(set.map(([header]) => comparable(header)));
  return {
    method: request.method,
    target: base.target,
    namedBy: 'tenant',
    path: joined + query,
    headers: [...forwardedHeaders(request.headers, (header) => names.has(header)), ...set],
    secret: set.length > 0,
  };
}
