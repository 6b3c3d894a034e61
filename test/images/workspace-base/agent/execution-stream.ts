import type { IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import type {
  EventGap,
  ExecuteRequest,
  ExecutionEvent,
} from '../../../../runtime/contracts/agent-protocol.ts';
import type { RunningAgent } from './running-agent.ts';

export type SeenEvent = (ExecutionEvent | EventGap) & { seq: number };

/** Reads an event stream as strictly as the contract words it. */
export class ExecutionStream {
  readonly events: SeenEvent[] = [];
  /** Comment lines that came in silence. */
  comments = 0;
  readonly res: IncomingMessage;
  /** Resolves with all events when the stream ends, rejects when it is cut. */
  readonly #over: Promise<SeenEvent[]>;
  #rest = '';

  constructor(res: IncomingMessage) {
    this.res = res;
    expect(res.headers['content-type']).toBe('text/event-stream');
    res.setEncoding('utf8');
    this.#over = this.#read();
    this.#over.catch(() => {}); // whoever asks for the end is told
  }

  end(): Promise<SeenEvent[]> {
    return this.#over;
  }

  /** Waits until an event has come that fits. */
  async until(fits: (event: SeenEvent) => boolean): Promise<SeenEvent> {
    await expect.poll(() => this.events.some(fits), { timeout: 10_000, interval: 5 }).toBe(true);
    return this.events.find(fits) as SeenEvent; // it was there a line ago
  }

  /** Leaves as a client does that is cut off. */
  leave(): void {
    this.res.destroy();
  }

  async #read(): Promise<SeenEvent[]> {
    for await (const text of this.res) {
      const blocks = (this.#rest + text).split('\n\n');
      this.#rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
    expect(this.#rest).toBe('');
    return this.events;
  }

  #take(block: string): void {
    if (block === ':') {
      this.comments += 1;
      return;
    }
    const [, id, type, data = ''] = /^id: ([1-9]\d*)\nevent: (\w+)\ndata: (\{[^\n]*\})$/.exec(block) ?? [];
    const event = JSON.parse(data);
    expect(event.type).toBe(type);
    this.events.push({ ...event, seq: Number(id) });
  }
}

export async function execute(agent: RunningAgent, request: ExecuteRequest): Promise<ExecutionStream> {
  return open(await agent.open('POST', '/execute', { body: request }));
}

export async function attach(agent: RunningAgent, id: string, after?: number): Promise<ExecutionStream> {
  const query = after === undefined ? '' : `?after=${after}`;
  return open(await agent.open('GET', `/executions/${id}/events${query}`));
}

async function open(res: IncomingMessage): Promise<ExecutionStream> {
  if (res.statusCode === 200) return new ExecutionStream(res);
  const body = (await res.toArray()).join('');
  throw new Error(`${res.statusCode} ${body}`);
}

let ids = 0;
export const nextId = (): string => `execution-${ids++}`;

/** Runs an execution to its end. */
export async function runToEnd(
  agent: RunningAgent,
  user_input: string,
  more: Partial<ExecuteRequest> = {},
): Promise<SeenEvent[]> {
  const stream = await execute(agent, { execution_id: nextId(), user_input, ...more });
  return stream.end();
}

export const textOf = (events: SeenEvent[], stream?: 'stdout' | 'stderr'): string =>
  events
    .map((event) => (event.type === 'text_delta' && (!stream || event.stream === stream) ? event.text : ''))
    .join('');

/** Events without their numbers, which are shown to begin with 1 and to have no hole. */
export function unnumbered(events: SeenEvent[]): (ExecutionEvent | EventGap)[] {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  return events.map(({ seq: _, ...event }) => event as ExecutionEvent | EventGap);
}

/** For `AGENT_COMMAND`: runs `user_input` as the body of an async function that has `request`, `raw` and `say`. */
export const SCRIPTED_RUNNER = JSON.stringify([
  process.execPath,
  '-e',
  `const fs = require('node:fs');
  const stdin = fs.readFileSync(0, 'utf8');
  const request = JSON.parse(stdin);
  const raw = (bytes) => fs.writeSync(1, bytes);
  const say = (event) => raw(JSON.stringify(event) + '\\n');
  const body = (async () => {}).constructor('stdin', 'request', 'raw', 'say', 'require', request.user_input);
  body(stdin, request, raw, say, require);`,
]);
