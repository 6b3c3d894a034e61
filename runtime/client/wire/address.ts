import { BerthError } from './berth-error.ts';

export type Query = Record<string, string | number | undefined>;

/** The service's address, as others are put behind it. */
export function baseAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const fit =
    parsed !== undefined &&
    /^https?:$/.test(parsed.protocol) &&
    `${parsed.search}${parsed.hash}${parsed.username}${parsed.password}` === '';
  if (!fit)
    throw new BerthError('INVALID_REQUEST', '`url` wants an http:// or https:// address, and no more');
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
}

/** `/v1/conversations/{id}` with its parameters in place; `{path}` may have slashes. */
export function path(template: string, params: Record<string, string>, query: Query = {}): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === 'path'
      ? (params.path ?? '')
          .split('/')
          .map((part) => segment(part, 'INVALID_PATH'))
          .join('/')
      : segment(params[name] ?? '', 'INVALID_ID'),
  );
  const asked = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return asked.length === 0 ? filled : `${filled}?${new URLSearchParams(asked)}`;
}

/** Dots would lead elsewhere: every URL parser follows them, escaped or not. */
function segment(text: string, code: 'INVALID_ID' | 'INVALID_PATH'): string {
  if (text === '' || text === '.' || text === '..')
    throw new BerthError(code, `"${text}" is no part of an address`);
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw new BerthError(code, 'half a character is no part of an address', { cause });
  }
}
