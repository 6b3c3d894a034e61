import { asBerthError } from './berth-error.ts';

/** An answer's bytes as they come, that fail with the one error. Who cancels it closes the connection. */
export function byteStream({ body }: Response, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const reader = body?.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { value, done = true } = (await reader?.read()) ?? {};
          if (done || value === undefined) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(asBerthError(error, signal));
        }
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
