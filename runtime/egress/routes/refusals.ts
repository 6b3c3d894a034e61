import type { RouteRefusal } from '../route-plan.ts';

/** Not TRACE, for one: its answer repeats the request, and with it the secrets that were added. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Undefined for a method that is forwarded. */
export function methodRefusal(method: string): RouteRefusal | undefined {
  if (METHODS.has(method)) return undefined;
  const message = `This method is not forwarded. ${[...METHODS].join(', ')} are.`;
  return { refused: 'forbidden_path', status: 405, message };
}

export function climbs(): RouteRefusal {
  const message =
    'This path is not forwarded: it has an empty segment, one of dots, or an encoded slash or backslash.';
  return { refused: 'forbidden_path', status: 403, message };
}
