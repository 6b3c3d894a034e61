import { expect } from 'vitest';
import { type ReadEvent, readEvents } from '../../support/event-reading.ts';
import type { RuntimeProcess } from '../../support/runtime-process.ts';

export const COUNT = 'import time\nfor i in range(60):\n  print(i, flush=True)\n  time.sleep(0.5)';
export const COUNTED = Array.from({ length: 60 }, (_, i) => `${i}\n`).join('');

export const execute = (runtime: RuntimeProcess, conversation: string, body: Record<string, unknown>) =>
  runtime.post(`/v1/conversations/${conversation}/execute`, body);

export const attach = (runtime: RuntimeProcess, conversation: string, execution: string, after: number) =>
  runtime.fetch(`/v1/conversations/${conversation}/executions/${execution}/events?after=${after}`);

/** Reads until it has seen this many events, then leaves the stream open. */
export async function begin(answer: Response, count: number): Promise<Begun> {
  return more(readEvents(answer), count);
}

interface Begun {
  seen: ReadEvent[];
  rest: AsyncGenerator<ReadEvent>;
}

export async function more(rest: AsyncGenerator<ReadEvent>, count: number): Promise<Begun> {
  const seen: ReadEvent[] = [];
  while (seen.length < count) {
    const { value, done } = await rest.next();
    if (done === true) throw new Error('the stream ended early');
    seen.push(value);
  }
  return { seen, rest };
}

/** Growing without a hole, one end, and it is the last. */
export function expectWhole(events: ReadEvent[]): void {
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ type }) => type === 'done' || type === 'error')).toHaveLength(1);
  expect(['done', 'error']).toContain(events.at(-1)?.type);
}

export async function until(events: AsyncGenerator<ReadEvent>): Promise<ReadEvent[]> {
  const read: ReadEvent[] = [];
  try {
    for await (const event of events) read.push(event);
  } catch {} // its instance is gone
  return read;
}
