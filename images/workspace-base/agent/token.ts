import { createHmac, timingSafeEqual } from 'node:crypto';

/** The secret that the runtime and this agent share. */
export class Token {
  readonly #secret: string;
  readonly #expected: Buffer;

  constructor(secret: string) {
    this.#secret = secret;
    this.#expected = Buffer.from(`Bearer ${secret}`);
  }

  /** Whether an `Authorization` header carries the token; takes the same time wherever it differs. */
  admits(authorization: string | undefined): boolean {
    const given = Buffer.from(authorization ?? '');
    return given.length === this.#expected.length && timingSafeEqual(given, this.#expected);
  }

  /** Shows knowledge of the token without telling it. */
  prove(nonce: string): string {
    return createHmac('sha256', this.#secret).update(nonce).digest('hex');
  }
}
