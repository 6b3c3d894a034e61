import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';

/** Who a request came from, and how, as far as that can be believed. */
export interface ClientFacts {
  /** The client's own address, for the log. */
  client: string;
  /** For `X-Forwarded-For`. */
  forwardedFor: string;
  protocol: 'http' | 'https';
  /** As the user sees it. */
  host: string;
  /** Whether what the request says of its way is believed. */
  trusted: boolean;
}

const NAMED_RANGES: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Proxies in front of us: what they say of a request's way is believed, and nobody else's word. */
export class TrustedProxies {
  readonly #list = new BlockList();

  constructor(ranges: readonly string[]) {
    for (const range of ranges.flatMap((name) => NAMED_RANGES[name] ?? [name])) {
      const [address = '', bits] = range.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  has(address: string): boolean {
    return this.#list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

export function clientFacts(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  proxies: TrustedProxies,
  /** How clients reach us, where nobody who is trusted says. */
  usual: 'http' | 'https',
): ClientFacts {
  const { headers } = request;
  const peer = (request.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  const host = headers.host ?? '';
  if (!proxies.has(peer)) return { client: peer, forwardedFor: peer, protocol: usual, host, trusted: false };
  const way = all(headers['x-forwarded-for']).concat(peer);
  const protocol = all(headers['x-forwarded-proto']).at(-1);
  return {
    client: way.findLast((address) => !isAddress(address) || !proxies.has(address)) ?? peer,
    forwardedFor: way.join(', '),
    protocol: protocol === 'https' || protocol === 'http' ? protocol : usual,
    host: all(headers['x-forwarded-host']).at(-1) ?? host,
    trusted: true,
  };
}

function isAddress(text: string): boolean {
  return /^[\d.]+$|^[\da-f:.]+$/i.test(text);
}

function all(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
