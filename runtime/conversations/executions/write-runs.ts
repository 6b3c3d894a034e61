import type { AgentEvent } from '../../agent-client/execution-events.ts';
import type { ExecutionId } from '../../contracts/ids.ts';
import type { EventRun } from './event-run.ts';

/** Of one run; an event always fits. Less than an entry of the log may have. */
const RUN_BYTES = 96 * 1024;
const FRAME_END = '\n\n';
const NEW_LINE = 10;

/** The agent's events as clients get them; numbered `offset` higher. A new run begins where numbers jump. */
export function writeRuns(
  execution: ExecutionId,
  offset: number,
  events: readonly AgentEvent[],
  now = new Date(),
): EventRun[] {
  const timestamp = now.toISOString();
  const runs: EventRun[] = [];
  let draft = new RunDraft();
  for (const { seq, type, fields } of events) {
    const id = seq + offset;
    const head = frameHead(execution, id, type, timestamp);
    if (!draft.hasPlaceFor(id, head, fields)) {
      runs.push(draft.write(offset));
      draft = new RunDraft();
    }
    draft.add(id, head, fields);
  }
  if (draft.last > 0) runs.push(draft.write(offset));
  return runs;
}

/** An event of the runtime's own. */
export function ownRun(
  execution: ExecutionId,
  id: number,
  agentSeq: number,
  event: { type: string } & Record<string, unknown>,
  now = new Date(),
): EventRun {
  const head = frameHead(execution, id, event.type, now.toISOString());
  const frames = Buffer.from(`${head}${JSON.stringify(event).slice(1)}${FRAME_END}`);
  return { first: id, last: id, agentSeq, frames };
}

/** In place of events that are no longer kept; numbered as the last of them. */
export function gapFrame(execution: ExecutionId, from: number, to: number): Buffer {
  return ownRun(execution, to, 0, { type: 'gap', from, to }).frames;
}

/** Up to where an event's own fields begin. Plain ASCII. */
function frameHead(execution: ExecutionId, id: number, type: string, timestamp: string): string {
  return `id: ${id}\nevent: ${type}\ndata: {"seq":${id},"timestamp":"${timestamp}","execution_id":"${execution}",`;
}

/** Events that will be one run, once it is known how long it gets. */
class RunDraft {
  last = 0;
  readonly #heads: string[] = [];
  readonly #fields: Buffer[] = [];
  #bytes = 0;

  hasPlaceFor(id: number, head: string, fields: Buffer): boolean {
    if (this.last === 0) return true;
    return id === this.last + 1 && this.#bytes + head.length + fields.length + FRAME_END.length <= RUN_BYTES;
  }

  add(id: number, head: string, fields: Buffer): void {
    this.last = id;
    this.#heads.push(head);
    this.#fields.push(fields);
    this.#bytes += head.length + fields.length + FRAME_END.length;
  }

  write(offset: number): EventRun {
    // Memory of its own: in Node's shared pieces a short run would keep what is long gone.
    const frames = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const [i, fields] of this.#fields.entries()) {
      at += frames.write(this.#heads[i] ?? '', at, 'latin1');
      frames.set(fields, at);
      at += fields.length;
      frames[at] = NEW_LINE;
      frames[at + 1] = NEW_LINE;
      at += 2;
    }
    const first = this.last - this.#fields.length + 1;
    return { first, last: this.last, agentSeq: this.last - offset, frames };
  }
}
