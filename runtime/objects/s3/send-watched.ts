import type { ExactContent } from '../exact-content.ts';
import { tooSlow } from './failures.ts';

/** Sends content while it is read. Fails when it does, or when the store takes nothing of it for too long. */
export async function sendWatched<T>(
  body: ExactContent,
  stallMs: number,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const failed = new AbortController();
  body.once('error', () => failed.abort(new WrongContent(body.failure)));
  let taken = -1;
  let since = performance.now();
  const watch = setInterval(() => {
    if (body.taken !== taken || body.starving) [taken, since] = [body.taken, performance.now()];
    else if (performance.now() - since >= stallMs) failed.abort(tooSlow(stallMs));
  }, stallMs / 20);
  try {
    return await send(AbortSignal.any([signal, failed.signal]));
  } finally {
    clearInterval(watch);
    // A request that was answered before its end goes no further.
    if (!body.readableEnded) failed.abort();
    body.destroy();
  }
}

/** The content's own failure, whatever it looks like: no fault of the store. */
export class WrongContent extends Error {
  constructor(cause: unknown) {
    super('the content failed', { cause });
  }
}
