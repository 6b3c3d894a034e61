import type { TERMINAL_FRAMES } from '../../../../runtime/contracts/agent-protocol.ts';
import { Problem } from '../problem.ts';

/** The contract's numbers, as a type: the agent imports no values from the runtime, and can't drift from it. */
const FRAMES: typeof TERMINAL_FRAMES = { attached: 1, output: 2, exit: 3, input: 4, resize: 5 };

const HEAD_BYTES = 5;
const MAX_PAYLOAD = 64 * 1024;

/** What the runtime says on a terminal's line. */
export type LineMessage =
  | { readonly kind: 'input'; readonly bytes: Buffer }
  | { readonly kind: 'resize'; readonly cols: number; readonly rows: number };

export function attachedFrame(offset: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeBigUInt64BE(BigInt(offset));
  return frame(FRAMES.attached, payload);
}

/** Of at most 64 KiB. */
export function outputFrame(bytes: Buffer): Buffer {
  return frame(FRAMES.output, bytes);
}

export function exitFrame(exitCode: number | null): Buffer {
  return frame(FRAMES.exit, exitCode === null ? Buffer.alloc(0) : Buffer.of(exitCode));
}

function frame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(type);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Puts what the runtime says together from the bytes of a line. */
export class LineMessages {
  #rest: Buffer = Buffer.alloc(0);

  /** Throws for what is no such message. */
  *take(chunk: Buffer): Generator<LineMessage> {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= HEAD_BYTES) {
      const length = bytes.readUInt32BE(1);
      if (length > MAX_PAYLOAD) throw new Problem('INVALID_REQUEST', 'a frame is too long');
      if (bytes.length < HEAD_BYTES + length) break;
      yield messageOf(bytes.readUInt8(), bytes.subarray(HEAD_BYTES, HEAD_BYTES + length));
      bytes = bytes.subarray(HEAD_BYTES + length);
    }
    this.#rest = bytes;
  }
}

function messageOf(type: number, payload: Buffer): LineMessage {
  if (type === FRAMES.input) return { kind: 'input', bytes: payload };
  if (type === FRAMES.resize && payload.length === 4)
    return { kind: 'resize', cols: payload.readUInt16BE(), rows: payload.readUInt16BE(2) };
  throw new Problem('INVALID_REQUEST', 'a frame is of no known kind');
}
