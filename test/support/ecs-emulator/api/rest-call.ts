import type { IncomingMessage } from 'node:http';

/** What stands for the target of calls of EFS, which name their operation by method and path. */
export const EFS = 'Efs_20150201';

const VERSION = '/2015-02-01/';
const ACCESS_POINTS = `${VERSION}access-points`;

export interface NamedCall {
  target: string;
  name: string;
  input: unknown;
}

/** The call in a request of the protocol REST JSON; undefined where it is another protocol's. */
export function restCall(
  { method, url = '/' }: Pick<IncomingMessage, 'method' | 'url'>,
  body: Record<string, unknown> | undefined,
): NamedCall | undefined {
  const { pathname, searchParams } = new URL(url, 'http://emulator');
  if (pathname === ACCESS_POINTS && method === 'POST')
    return { target: EFS, name: 'CreateAccessPoint', input: body };
  if (pathname === ACCESS_POINTS && method === 'GET')
    return { target: EFS, name: 'DescribeAccessPoints', input: Object.fromEntries(searchParams) };
  const id = pathname.startsWith(`${ACCESS_POINTS}/`) ? pathname.slice(ACCESS_POINTS.length + 1) : '';
  if (id !== '' && method === 'DELETE')
    return { target: EFS, name: 'DeleteAccessPoint', input: { AccessPointId: decodeURIComponent(id) } };
  return pathname.startsWith(VERSION) ? { target: EFS, name: `${method} ${pathname}`, input: {} } : undefined;
}
