import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** What a name is answered with. */
export type DnsAnswer =
  | {
      addresses: readonly string[];
      /** The name is an alias of this one, whose the addresses are. */
      alias?: string;
    }
  | { failure: 'SERVFAIL' | 'NXDOMAIN' | 'REFUSED' }
  /** Nothing comes, what comes is no message, or it asks to come again over TCP, where nobody is. */
  | 'silence'
  | 'garbage'
  | 'truncated';

const CODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };
const TYPES = { A: 1, CNAME: 5, AAAA: 28 };
const POINTER_TO_QUESTION = Buffer.from([0xc0, 0x0c]);

/** A DNS server on UDP that answers as a test says, and may say something else every time. */
export class DnsServer implements AsyncDisposable {
  /** `A name` or `AAAA name`, in order. */
  readonly asked: string[] = [];
  readonly #socket: Socket;
  readonly #answers = new Map<string, readonly DnsAnswer[]>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (query, from) => this.#receive(query, from));
  }

  static async start(): Promise<DnsServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new DnsServer(socket);
  }

  /** Each question of one type gets the next of the answers, and the last for good. */
  set(name: string, ...answers: readonly DnsAnswer[]): void {
    this.#answers.set(name, answers);
  }

  /** All addresses of a name, as this server has them; rejects where there is none. */
  lookup(timeoutMs = 5000): (name: string) => Promise<string[]> {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
    resolver.setServers([`127.0.0.1:${this.#socket.address().port}`]);
    return async (name) => {
      const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      if (addresses.length === 0 && found[0].status === 'rejected') throw found[0].reason;
      return addresses;
    };
  }

  #receive(query: Buffer, from: RemoteInfo): void {
    const { name, type, end } = readQuestion(query);
    const question = `${type === TYPES.AAAA ? 'AAAA' : 'A'} ${name}`;
    const before = this.asked.filter((earlier) => earlier === question).length;
    this.asked.push(question);
    const answers = this.#answers.get(name) ?? [{ failure: 'NXDOMAIN' }];
    const answer = answers[Math.min(before, answers.length - 1)] ?? 'silence';
    if (answer === 'silence') return;
    const message = answer === 'garbage' ? Buffer.alloc(40, 0xff) : reply(query, end, type, answer);
    this.#socket.send(message, from.port, from.address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function reply(
  query: Buffer,
  end: number,
  type: number,
  answer: Exclude<DnsAnswer, string> | 'truncated',
): Buffer {
  const records = answer !== 'truncated' && 'addresses' in answer ? recordsOf(type, answer) : [];
  const head = Buffer.from(query.subarray(0, 12));
  const code = answer !== 'truncated' && 'failure' in answer ? CODES[answer.failure] : 0;
  head.writeUInt16BE(0x8580 | (answer === 'truncated' ? 0x0200 : 0) | code, 2);
  for (const [index, count] of [1, records.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * index);
  return Buffer.concat([head, query.subarray(12, end), ...records]);
}

function recordsOf(
  type: number,
  { addresses, alias }: { addresses: readonly string[]; alias?: string },
): Buffer[] {
  const owner = alias === undefined ? POINTER_TO_QUESTION : nameBytes(alias);
  const wanted = addresses.filter((address) => isIPv4(address) === (type === TYPES.A));
  const found = wanted.map((address) => record(owner, type, addressBytes(address)));
  return alias === undefined ? found : [record(POINTER_TO_QUESTION, TYPES.CNAME, owner), ...found];
}

/** It may be kept for no time at all. */
function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  if (mapped !== undefined)
    return Buffer.concat([Buffer.alloc(10), Buffer.from([255, 255]), addressBytes(mapped)]);
  const [front = '', back = ''] = address.split('::');
  const [before, after] = [front, back].map((side) => side.split(':').filter((group) => group !== ''));
  const groups = [...(before ?? [])];
  while (address.includes('::') && groups.length + (after?.length ?? 0) < 8) groups.push('0');
  return Buffer.from([...groups, ...(after ?? [])].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
