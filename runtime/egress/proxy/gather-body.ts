import type { IncomingMessage } from 'node:http';
import type { Gate } from '../gate.ts';
import { Refusal } from '../verdict/refusal.ts';
import type { Limits } from './limits.ts';
import type { Framing } from './request-framing.ts';

/** A whole request body in memory; `release` when it is no longer needed. */
export interface GatheredBody {
  readonly bytes: Buffer;
  release(): void;
}

/** Reads a body that has to be known before it is sent, as far as its own cap and the gate's have room. */
export async function gatherBody(
  request: IncomingMessage,
  framing: Framing,
  mostBytes: number,
  gate: Gate,
  limits: Limits,
): Promise<GatheredBody> {
  const most = Math.min(mostBytes, limits.gatheredBytes);
  let reserved = 0;
  const reserve = (bytes: number) => {
    if (bytes > most)
      throw new Refusal('too_large', `The body is larger than the ${most} bytes that are taken.`);
    const more = Math.max(0, bytes - reserved);
    if (gate.gathered + more > limits.gatheredBytesAtOnce) {
      throw new Refusal('too_many', 'Too many large requests are sent at once; wait for some of them.');
    }
    gate.gathered += more;
    reserved += more;
  };
  const release = () => {
    gate.gathered -= reserved;
    reserved = 0;
  };
  try {
    if (framing.kind === 'length') reserve(framing.bytes);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of request) {
      length += chunk.length;
      reserve(length);
      chunks.push(chunk);
    }
    return { bytes: Buffer.concat(chunks), release };
  } catch (error) {
    release();
    throw error;
  }
}
