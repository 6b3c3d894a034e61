import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a caller wants done; a sealed one is good for one method, one path and one counter. */
export interface AdminRequest {
  counter: number;
  method: string;
  path: string;
  body: unknown;
}

/** It names what it answers, so that an older answer is no answer. */
export interface AdminAnswer extends AdminRequest {
  status: number;
}

/** Seals and opens what goes between the runtime and a proxy: only holders of the proxy's admin key can do either. */
export class AdminSeal {
  readonly #key: string;
  readonly #requestKey: Buffer;
  readonly #answerKey: Buffer;

  constructor(adminKey: string) {
    this.#key = adminKey;
    const derive = (info: string): Buffer => Buffer.from(hkdfSync('sha256', adminKey, '', info, 32));
    this.#requestKey = derive('berth proxy admin request');
    this.#answerKey = derive('berth proxy admin answer');
  }

  sealRequest(request: AdminRequest): Buffer<ArrayBuffer> {
    return seal(this.#requestKey, request);
  }

  /** Undefined for anything that was not sealed under this key as a request. */
  openRequest(sealed: Buffer): AdminRequest | undefined {
    return parseRequest(open(this.#requestKey, sealed));
  }

  sealAnswer(answer: AdminAnswer): Buffer<ArrayBuffer> {
    return seal(this.#answerKey, answer);
  }

  /** Undefined for anything that was not sealed under this key as an answer. */
  openAnswer(sealed: Buffer): AdminAnswer | undefined {
    const opened = open(this.#answerKey, sealed);
    const request = parseRequest(opened);
    const status = typeof opened === 'object' && opened !== null && 'status' in opened && opened.status;
    return request !== undefined && typeof status === 'number' ? { ...request, status } : undefined;
  }

  /** For a request without a body: the value of `X-Berth-Proof`. */
  prove(method: string, path: string, counter: number): string {
    return `${counter}.${this.#proof(method, path, counter).toString('hex')}`;
  }

  /** The counter of a proof that was made under this key for this very request. */
  proven(method: string, path: string, proof: string): number | undefined {
    const [, digits = '', hex = ''] = /^([0-9]{1,16})\.([0-9a-f]{64})$/.exec(proof) ?? [];
    const counter = Number(digits);
    if (hex === '' || !Number.isSafeInteger(counter) || `${counter}` !== digits) return undefined;
    return timingSafeEqual(Buffer.from(hex, 'hex'), this.#proof(method, path, counter)) ? counter : undefined;
  }

  #proof(method: string, path: string, counter: number): Buffer {
    return createHmac('sha256', this.#key).update(`${method} ${path}${counter}`).digest();
  }
}

function seal(key: Buffer, message: AdminRequest): Buffer<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const content = Buffer.concat([cipher.update(JSON.stringify(message), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]);
}

function open(key: Buffer, sealed: Buffer): unknown {
  if (sealed.length <= NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const content = Buffer.concat([
      decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)),
      decipher.final(),
    ]);
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined; // forged, damaged, or under another key: all the same to the caller
  }
}

function parseRequest(value: unknown): AdminRequest | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { counter, method, path, body } = value as Partial<Record<keyof AdminRequest, unknown>>; // checked below
  if (typeof method !== 'string' || typeof path !== 'string') return undefined;
  if (typeof counter !== 'number' || !Number.isSafeInteger(counter) || counter < 0) return undefined;
  return { counter, method, path, body };
}
