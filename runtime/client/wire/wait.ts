import { aborted } from './berth-error.ts';

/** Waits, unless the signal ends it. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      if (signal !== undefined) reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
