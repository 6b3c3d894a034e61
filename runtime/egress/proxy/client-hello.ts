/** What the first bytes of a TLS connection tell: not all there yet, none, or the name in it. */
export type HelloVerdict =
  | { kind: 'more' }
  | { kind: 'none'; why: string }
  /** Without a name when the handshake has none. */
  | { kind: 'hello'; serverName?: string };

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
const MOST_RECORD_BYTES = 1 << 14;
const MOST_RECORDS = 16;

/** Reads a ClientHello, which may come in several records. Stricter than servers are: what is odd is none. */
export function readClientHello(bytes: Buffer): HelloVerdict {
  const fragments: Buffer[] = [];
  let missing = Number.POSITIVE_INFINITY;
  for (let at = 0; ; ) {
    const record = bytes.subarray(at);
    if (record.length > 0 && record[0] !== HANDSHAKE) return none('it does not begin with a TLS handshake');
    if (record.length > 1 && record[1] !== 3) return none('its TLS version is not known');
    if (record.length < 5) return { kind: 'more' };
    const length = record.readUInt16BE(3);
    const first = fragments.length === 0;
    if (length < (first ? 4 : 1) || length > MOST_RECORD_BYTES) return none('a TLS record has an odd length');
    if (fragments.length === MOST_RECORDS) return none('the ClientHello is in too many pieces');
    const fragment = record.subarray(5, 5 + length);
    if (first && fragment.length > 0 && fragment[0] !== CLIENT_HELLO) return none('it is no ClientHello');
    if (first && fragment.length >= 4) missing = 4 + fragment.readUIntBE(1, 3);
    if (fragment.length > missing) return none('something follows the ClientHello in its record');
    if (fragment.length < length) return { kind: 'more' };
    fragments.push(fragment);
    missing -= length;
    if (missing === 0) return readNames(new Reader(Buffer.concat(fragments).subarray(4)));
    at += 5 + length;
  }
}

function readNames(hello: Reader): HelloVerdict {
  try {
    hello.take(2 + 32);
    hello.vector(1);
    hello.vector(2);
    hello.vector(1);
    if (hello.done) return { kind: 'hello' };
    const extensions = hello.vector(2);
    if (!hello.done) return none('something follows the extensions of the ClientHello');
    let serverName: string | undefined;
    while (!extensions.done) {
      const type = extensions.number(2);
      const body = extensions.vector(2);
      if (type !== SERVER_NAME) continue;
      if (serverName !== undefined) return none('it names its server twice');
      const list = body.vector(2);
      const nameType = list.number(1);
      serverName = list.vector(2).rest().toString('latin1');
      if (nameType !== HOST_NAME || serverName === '' || !list.done || !body.done) {
        return none('its server name is odd');
      }
    }
    return serverName === undefined ? { kind: 'hello' } : { kind: 'hello', serverName };
  } catch (error) {
    if (error instanceof RangeError) return none('the ClientHello is cut short');
    throw error;
  }
}

function none(why: string): HelloVerdict {
  return { kind: 'none', why };
}

/** Takes numbers and length-prefixed vectors off the front of some bytes. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Buffer {
    const from = this.#at;
    if (from + length > this.#bytes.length) throw new RangeError('past the end');
    this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }

  number(width: number): number {
    return this.take(width).readUIntBE(0, width);
  }

  vector(width: number): Reader {
    return new Reader(this.take(this.number(width)));
  }

  rest(): Buffer {
    return this.take(this.#bytes.length - this.#at);
  }
}
