/** Most entries of an allow-list of the operator's. */
export const MOST_ALLOW_ENTRIES = 500;

/** One line of an allow-list in its parts: `host`, `.suffix`, `host:port`, `.suffix:port`, each also behind `internal:`. */
export interface AllowEntryParts {
  /** Whether a private address is meant. */
  internal: boolean;
  /** Whether all names below `host` are meant; `host` itself is not among them. */
  subdomains: boolean;
  /** As it stands there. */
  host: string;
  port: number | undefined;
}

const INTERNAL = /^internal:/i;
const PORT = /^[1-9][0-9]{0,4}$/;
const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;
/** URL parsers read a name that ends like this as an IPv4 address, in octal, hexadecimal or with parts left out. */
const ENDS_AS_NUMBER = /(^|\.)([0-9]+|0x[0-9a-f]*)$/;
const OCTET = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(\\.${OCTET}){3}$`);

/** The parts, of which the host is still to be looked at, or what is wrong. */
export function splitAllowEntry(text: string): AllowEntryParts | { problem: string } {
  const rest = text.replace(INTERNAL, '');
  if (rest.trim() === '') return { problem: 'it names no host' };
  if (/\s/.test(rest)) return { problem: 'it has white space in it' };
  if (rest.includes('*'))
    return { problem: 'there are no wildcards; ".example.com" means all names below example.com' };
  if (rest.includes('/')) return { problem: 'it takes a host, not a URL or a network' };
  if (rest.includes('@')) return { problem: 'it takes a host without a user' };
  const [, name, port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(rest) ?? [];
  if (name === undefined) return { problem: 'an IPv6 address with a port takes brackets' };
  if (port !== undefined && !isPort(port)) return { problem: 'its port is no number from 1 to 65535' };
  const subdomains = name.startsWith('.');
  return {
    internal: INTERNAL.test(text),
    subdomains,
    host: subdomains ? name.slice(1) : name,
    port: port === undefined ? undefined : Number(port),
  };
}

export function isPort(text: string): boolean {
  return PORT.test(text) && Number(text) <= 65_535;
}

/** Whether a host is a name in its canonical form: lower case, ASCII, no trailing dot, no address in disguise. */
export function isHostName(text: string): boolean {
  return NAME.test(text) && !ENDS_AS_NUMBER.test(text);
}

/** Whether an entry is one without a doubt: its host is a plain name in any case, or a dotted IPv4 address. */
export function isPlainAllowEntry(text: string): boolean {
  const entry = splitAllowEntry(text);
  if ('problem' in entry) return false;
  return isHostName(entry.host.toLowerCase()) || (!entry.subdomains && IPV4.test(entry.host));
}
