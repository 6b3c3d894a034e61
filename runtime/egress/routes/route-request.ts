import type { EgressState } from '../../contracts/egress.ts';
import type { RoutePlan, RouteRefusal, RouteRequest } from '../route-plan.ts';
import { routeAnthropic } from './anthropic-route.ts';
import { routeBedrock } from './bedrock-route.ts';
import { routeMcp } from './mcp-route.ts';
import { splitPath } from './request-path.ts';

/** What the proxy does with a request to one of its own paths. The state is a parsed one; the request may be anything. */
export function routeRequest(
  request: RouteRequest,
  state: EgressState,
  now: () => Date = () => new Date(),
): RoutePlan | RouteRefusal {
  const parts = splitPath(request.path);
  if (parts === undefined) {
    const message = 'The path of this request is none: it has characters that have to be percent-encoded.';
    return { refused: 'forbidden_path', status: 403, message };
  }
  const [, first] = parts.path.split('/', 2);
  if (first === 'mcp') return routeMcp(request, parts, state.mcp_servers);
  if (first === 'anthropic') return routeAnthropic(request, parts, state.anthropic);
  return routeBedrock(request, parts, state.signing, now);
}
