import { TERMINAL_FRAMES } from '../contracts/agent-protocol.ts';
import { AgentMisbehaved } from './agent-failures.ts';
import { PartialLine } from './partial-line.ts';

const HEAD_BYTES = 5;
const MAX_PAYLOAD = 64 * 1024;

/** What an agent says of a terminal, in order. Output of one read comes together, in however many frames it came. */
export type TerminalNews =
  | { kind: 'attached'; offset: number }
  | { kind: 'output'; bytes: Buffer }
  | { kind: 'exit'; exitCode: number | null };

/** Input in frames, however long it is. */
export function inputFrames(bytes: Buffer): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MAX_PAYLOAD)
    frames.push(...frame(TERMINAL_FRAMES.input, bytes.subarray(at, at + MAX_PAYLOAD)));
  return Buffer.concat(frames);
}

export function resizeFrame(cols: number, rows: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt16BE(cols);
  payload.writeUInt16BE(rows, 2);
  return Buffer.concat(frame(TERMINAL_FRAMES.resize, payload));
}

function frame(type: number, payload: Buffer): Buffer[] {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(type);
  head.writeUInt32BE(payload.length, 1);
  return [head, payload];
}

/** Puts an agent's frames together from the bytes of a line. Never holds more than one frame that is not whole. */
export class TerminalFrames {
  readonly #after: number;
  readonly #partial = new PartialLine();
  #state: 'opening' | 'attached' | 'over' = 'opening';

  /** `after`: the bytes that were asked for begin there. */
  constructor(after: number) {
    this.#after = after;
  }

  /** Throws `AgentMisbehaved` for anything but `attached`, then output, then one exit. */
  take(chunk: Buffer): TerminalNews[] {
    const bytes = this.#joined(chunk);
    const news: TerminalNews[] = [];
    const output: Buffer[] = [];
    let at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      const length = bytes.readUInt32BE(at + 1);
      if (length > MAX_PAYLOAD) throw new AgentMisbehaved(`a frame is longer than ${MAX_PAYLOAD} bytes`);
      const end = at + HEAD_BYTES + length;
      if (bytes.length < end) break;
      const payload = bytes.subarray(at + HEAD_BYTES, end);
      const said = this.#check(bytes.readUInt8(at), payload);
      if (said === undefined) output.push(payload);
      else {
        flush(output, news);
        news.push(said);
      }
      at = end;
    }
    flush(output, news);
    if (at < bytes.length) this.#partial.add(bytes.subarray(at));
    if (this.#state === 'over' && this.#partial.length > 0) throw afterEnd();
    return news;
  }

  #joined(chunk: Buffer): Buffer {
    if (this.#partial.length === 0) return chunk;
    this.#partial.add(chunk);
    return this.#partial.take();
  }

  /** Undefined for output. */
  #check(type: number, payload: Buffer): TerminalNews | undefined {
    if (this.#state === 'over') throw afterEnd();
    if (this.#state === 'opening') return this.#attached(type, payload);
    if (type === TERMINAL_FRAMES.output && payload.length > 0) return undefined;
    if (type !== TERMINAL_FRAMES.exit || payload.length > 1)
      throw new AgentMisbehaved('a frame of a terminal is of no kind that may come there');
    this.#state = 'over';
    return { kind: 'exit', exitCode: payload[0] ?? null };
  }

  #attached(type: number, payload: Buffer): TerminalNews {
    if (type !== TERMINAL_FRAMES.attached || payload.length !== 8)
      throw new AgentMisbehaved('a terminal does not say where it begins');
    const offset = Number(payload.readBigUInt64BE());
    if (!Number.isSafeInteger(offset) || offset < this.#after)
      throw new AgentMisbehaved('a terminal begins where nobody asked for');
    this.#state = 'attached';
    return { kind: 'attached', offset };
  }
}

function flush(output: Buffer[], news: TerminalNews[]): void {
  const [only] = output;
  if (only === undefined) return;
  news.push({ kind: 'output', bytes: output.length === 1 ? only : Buffer.concat(output) });
  output.length = 0;
}

function afterEnd(): AgentMisbehaved {
  return new AgentMisbehaved('a terminal says more after its end');
}
