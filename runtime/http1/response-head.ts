import { badAnswer } from './answer-failure.ts';
import { MOST_HEADERS } from './head-limits.ts';

/** How an answer's body is delimited: by its bytes, in chunks, by the connection's end, or there is none. */
export type AnswerFraming =
  | { kind: 'none' | 'chunked' | 'until-close' }
  | { kind: 'length'; readonly bytes: number };

/** The head of an answer, of which everything has been looked at. */
export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  /** Name, value, name, value, as they came. */
  readonly headers: readonly string[];
  readonly framing: AnswerFraming;
  /** How long the connection is good for more, by the answer: not at all, or in milliseconds. */
  readonly keepMs: number;
}

const STATUS_LINE = /HTTP\/1\.([01]) ([1-9][0-9]{2})(?: ([\t\x20-\x7e\x80-\xff]*))?\r\n/y;
/** One class a part, none of which overlaps the next: what does not match is found in one pass. */
const HEADER_LINE = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)\r\n/y;
const LENGTH = /^[0-9]{1,15}$/;
const KEPT_FOR = /(?:^|[,;\t ])timeout=([0-9]{1,6})(?:$|[,;\t ])/i;
/** A host that says how long it waits is not asked in the last moment. */
const BEFORE_IT_CLOSES_MS = 1000;

/** Reads all lines of a head, each with its end and without the empty one. Throws an AnswerFailure. */
export function readResponseHead(text: string, method: string): ResponseHead {
  STATUS_LINE.lastIndex = 0;
  const first = STATUS_LINE.exec(text);
  if (!first) throw badAnswer('its first line is none of HTTP/1.1');
  const headers = readHeaderLines(text, STATUS_LINE.lastIndex);
  const status = Number(first[2]);
  let length: string | undefined;
  let encoding: string | undefined;
  let keepMs = first[1] === '1' ? Number.POSITIVE_INFINITY : 0;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    // By length first: few names are worth lowering.
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (length !== undefined) throw badAnswer('it has two lengths');
      length = value;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if (encoding !== undefined) throw badAnswer('it has two transfer encodings');
      encoding = value;
    } else if (name.length === 10) {
      const lower = name.toLowerCase();
      if (lower === 'connection' && /(?:^|[,\t ])close(?:$|[,\t ])/i.test(value)) keepMs = 0;
      else if (lower === 'keep-alive') keepMs = Math.min(keepMs, promisedMs(value));
    }
  }
  if (length !== undefined && encoding !== undefined) throw badAnswer('it has a length and an encoding');
  if (length !== undefined && !LENGTH.test(length)) throw badAnswer('its length is no number');
  if (encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || first[1] !== '1')) {
    throw badAnswer('its transfer encoding is not chunked, with HTTP/1.1');
  }
  const framing = framingOf(status, method, length, encoding);
  return { status, reason: first[3] ?? '', headers, framing, keepMs };
}

/** The headers from there to the end of the text: name, value, name, value. Throws an AnswerFailure. */
export function readHeaderLines(text: string, from: number): string[] {
  const headers: string[] = [];
  for (let at = from; at < text.length; at = HEADER_LINE.lastIndex) {
    HEADER_LINE.lastIndex = at;
    const line = HEADER_LINE.exec(text);
    if (!line) throw badAnswer('a line of its head is no header');
    if (headers.length === 2 * MOST_HEADERS) throw badAnswer(`it has more than ${MOST_HEADERS} headers`);
    headers.push(line[1] ?? '', withoutSpace(line[2] ?? ''));
  }
  return headers;
}

function framingOf(
  status: number,
  method: string,
  length: string | undefined,
  encoding: string | undefined,
): AnswerFraming {
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return { kind: 'none' };
  if (length !== undefined) return { kind: 'length', bytes: Number(length) };
  return { kind: encoding === undefined ? 'until-close' : 'chunked' };
}

function promisedMs(keepAlive: string): number {
  const seconds = KEPT_FOR.exec(keepAlive)?.[1];
  return seconds === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(0, Number(seconds) * 1000 - BEFORE_IT_CLOSES_MS);
}

/** Without spaces and tabs around it, and these alone. */
function withoutSpace(value: string): string {
  let from = 0;
  let to = value.length;
  while (from < to && isSpace(value.charCodeAt(from))) from += 1;
  while (to > from && isSpace(value.charCodeAt(to - 1))) to -= 1;
  return value.slice(from, to);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
