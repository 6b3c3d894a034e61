import { ApiError, send } from './api.js';

/** @import { EventOf, Request, StreamName } from '../api-types.js' */

/** The service breaks silence every 15 s. */
const SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/**
 * The events of one connection, as they come.
 * @template {StreamName} Name
 * @param {Name} name
 * @param {Request<Name>} request
 * @returns {AsyncGenerator<EventOf<Name>, void>}
 */
export async function* events(name, request) {
  const silent = new AbortController();
  const signal =
    request.signal === undefined ? silent.signal : AbortSignal.any([request.signal, silent.signal]);
  const answer = await send(name, { ...request, headers: { accept: 'text/event-stream' }, signal });
  if (answer.body === null) return;
  let timer = setTimeout(() => silent.abort(), SILENCE_MS);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENCE_MS);
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parse(block);
        // The cast: the schema that the types are made of says what an event of this name has.
        if (event !== undefined) yield/** @type {EventOf<Name>} */ (event);
      }
    }
  } finally {
    clearTimeout(timer);
    silent.abort();
  }
}

/**
 * The same over as many connections as it takes, until `over` says so or the signal ends it. What is refused for good
 * is thrown.
 * @template {StreamName} Name
 * @param {Name} name
 * @param {{ request: () => Request<Name>, signal: AbortSignal, over?: () => boolean,
 *   connected?: (is: boolean) => void }} parts
 * @returns {AsyncGenerator<EventOf<Name>, void>}
 */
export async function* lastingEvents(name, { request, signal, over = () => false, connected = () => {} }) {
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted && !over()) {
    try {
      for await (const event of events(name, { ...request(), signal })) {
        connected(true);
        wait = FIRST_WAIT_MS;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429)
        throw error;
    }
    if (signal.aborted || over()) return;
    connected(false);
    await pause(wait, signal);
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
}

/** @param {string} block */
function parse(block) {
  const found = { id: '', event: '', data: '' };
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(id|event|data): ?(.*)$/s.exec(line) ?? [];
    if (field === 'id' || field === 'event') found[field] = value;
    if (field === 'data') found.data += value;
  }
  return found.event === '' ? undefined : { ...found, data: JSON.parse(found.data) };
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
