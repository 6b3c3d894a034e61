import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

/** SHA-256, or its HMAC where there is a secret, in the form that the signer takes. */
export class Sha256 {
  readonly #secret: Uint8Array | string | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = secret === undefined || typeof secret === 'string' ? secret : bytesOf(secret);
    this.#hash = this.#begin();
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#begin();
  }

  #begin(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

const SLICE_BYTES = 1024 * 1024;

/** The hash of a body in hex; others have their turn while a large one is hashed. */
export async function hashBody(body: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    if (at > 0) await turn();
    hash.update(body.subarray(at, at + SLICE_BYTES));
  }
  return hash.digest('hex');
}

const bytesOf = (source: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
