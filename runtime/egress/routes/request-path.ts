/** The parts of a request's own path; `query` has its question mark, or is empty. */
export interface RequestPath {
  path: string;
  query: string;
}

const PATH = /^\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
/** Printable, but no blank and no `#`. */
const QUERY = /^(?:\?[\x21\x22\x24-\x7e]*)?$/;
/** Nobody encodes a path more often and means it well. */
const MOST_DECODINGS = 4;

/** Undefined where either part has what RFC 3986 has no place for. */
export function splitPath(target: string): RequestPath | undefined {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark);
  return PATH.test(path) && QUERY.test(query) ? { path, query } : undefined;
}

/**
 * The path of a base with `rest` behind it; undefined where some server might read `rest` as a way out of the
 * base: segments that are empty or dots, and slashes or backslashes in a segment, however they are encoded.
 */
export function joinPath(base: string, rest: string): string | undefined {
  if (rest === '') return base === '' ? '/' : base;
  const segments = rest.slice(1).split('/');
  if (segments.at(-1) === '') segments.pop(); // a slash at the end
  if (!rest.startsWith('/') || !segments.every(isPlain)) return undefined;
  return `${base.replace(/\/+$/, '')}${rest}`;
}

/** Whether a segment is an ordinary name however often a server decodes it. */
function isPlain(segment: string): boolean {
  let text = segment;
  for (let decoded = 0; decoded <= MOST_DECODINGS; decoded += 1) {
    if (!isOrdinary(text)) return false;
    const next = decodeOnce(text);
    if (next === undefined) return false;
    if (next === text) return true;
    text = next;
  }
  return false;
}

/** What is no escape stays as it is, as lenient servers have it; undefined where bytes are not UTF-8. */
function decodeOnce(text: string): string | undefined {
  try {
    return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Also with look-alikes of dots and slashes, and with the parameters that some servers cut off (`..;a`). */
function isOrdinary(text: string): boolean {
  const folded = text.normalize('NFKC');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
  if (/[\x00-\x1f\x7f/\\]|%u[0-9a-f]{4}/i.test(folded)) return false;
  const [name = ''] = folded.split(';');
  return !/^\.*$/.test(name.trim());
}
