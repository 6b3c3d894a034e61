import { isConnectionHeader } from '../connection-headers.ts';
import type { RouteRequest } from '../route-plan.ts';

type Header = [name: string, value: string];

/** Of every request the proxy sets these anew. */
const FRAMING = new Set(['content-length', 'host']);

/** As servers compare names: many take an underscore for a hyphen. */
export const comparable = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** Whether a header of this name never goes upstream, whoever sets it. */
export function neverForwarded(name: string): boolean {
  const plain = comparable(name);
  return isConnectionHeader(plain) || FRAMING.has(plain);
}

/** The client's headers that go on: none that `Connection` names, none that `dropped` is true for. */
export function forwardedHeaders(
  headers: RouteRequest['headers'],
  dropped: (comparableName: string) => boolean,
): Header[] {
  const named = new Set(
    headers
      .filter(([name]) => comparable(name) === 'connection')
      .flatMap(([, value]) => value.split(',').map((token) => comparable(token.trim()))),
  );
  return headers
    .filter(([name]) => !neverForwarded(name) && !named.has(comparable(name)) && !dropped(comparable(name)))
    .map(([name, value]): Header => [name, value]);
}
