import type { IncomingMessage } from 'node:http';
import { MOST_HEADERS } from '../../http1/head-limits.ts';
import { Refusal } from '../verdict/refusal.ts';

/** How a request's body is delimited: by its length, in chunks, or there is none. */
export type Framing = { kind: 'none' } | { kind: 'length'; bytes: number } | { kind: 'chunked' };

const LENGTH = /^[0-9]{1,15}$/;
const HOST_VALUE = /^[\x21-\x2b\x2d-\x2e\x30-\x3f\x41-\x7e]*$/;

/**
 * Checks what Node's parser lets pass although another parser may read it otherwise. Throws a `malformed` refusal,
 * after which nothing more of the connection is to be believed.
 */
export function readFraming(request: IncomingMessage): Framing {
  const { rawHeaders, httpVersion } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw malformed('only HTTP/1.1 and HTTP/1.0 are spoken');
  if (rawHeaders.length > 2 * MOST_HEADERS) throw malformed(`there are more than ${MOST_HEADERS} headers`);
  let hosts = 0;
  let length: string | undefined;
  let encoding: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // By length first: few names are worth lowering.
    if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts += 1;
      if (!HOST_VALUE.test(rawHeaders[at + 1] ?? '')) throw malformed('Host is no host');
    } else if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (length !== undefined) throw malformed('there are two lengths');
      length = rawHeaders[at + 1] ?? '';
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if (encoding !== undefined) throw malformed('there are two transfer encodings');
      encoding = rawHeaders[at + 1] ?? '';
    }
  }
  if (hosts > 1) throw malformed('there are two Host headers');
  if (hosts === 0 && httpVersion === '1.1') throw malformed('there is no Host header');
  if (length !== undefined && encoding !== undefined) throw malformed('there are a length and an encoding');
  if (length !== undefined) {
    if (!LENGTH.test(length)) throw malformed('the length is no number');
    return { kind: 'length', bytes: Number(length) };
  }
  if (encoding === undefined) return { kind: 'none' };
  if (encoding.toLowerCase() !== 'chunked' || httpVersion !== '1.1') {
    throw malformed('the only transfer encoding is chunked, with HTTP/1.1');
  }
  return { kind: 'chunked' };
}

function malformed(what: string): Refusal {
  return new Refusal('malformed', `The request's head is not acceptable: ${what}.`);
}
