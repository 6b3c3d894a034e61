import type { AnthropicRule } from '../../contracts/egress.ts';
import type { RoutePlan, RouteRefusal, RouteRequest } from '../route-plan.ts';
import { baseOf } from './base-url.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { climbs, methodRefusal } from './refusals.ts';
import { joinPath, type RequestPath } from './request-path.ts';

const KEY_HEADER = 'x-api-key';
const REPLACED = new Set(['authorization', 'cookie', KEY_HEADER]);

/** `/anthropic` and what is below it: Anthropic's API, with the operator's key for whatever the client shows. */
export function routeAnthropic(
  request: RouteRequest,
  { path, query }: RequestPath,
  rule: AnthropicRule | null,
): RoutePlan | RouteRefusal {
  if (rule === null) {
    const message = "There is no key for Anthropic's API here. The operator sets one with ANTHROPIC_API_KEY.";
    return { refused: 'unknown_route', status: 404, message };
  }
  const refusal = methodRefusal(request.method);
  if (refusal !== undefined) return refusal;
  const base = baseOf(rule.base_url);
  const joined = joinPath(base.path, path.slice('/anthropic'.length));
  if (joined === undefined) return climbs();
  return {
    method: request.method,
    target: base.target,
    namedBy: 'operator',
    path: joined + query,
    headers: [
      ...forwardedHeaders(request.headers, (header) => REPLACED.has(header)),
      [KEY_HEADER, rule.api_key],
    ],
    secret: true,
  };
}
