import { MOST_ALLOW_ENTRIES } from './allow-entry.ts';
import { FUNCTION_TASKS_WANT, type FunctionTask, parseFunctionTasks } from './function-task.ts';
import { isImageFolder, parseImageReference } from './image-reference.ts';

/** One environment variable of the runtime: how it is read and what is said of it. */
export interface Variable<T> {
  /** What a valid value looks like, as the end of the sentence "… wants". */
  wants: string;
  parse(text: string): T | undefined;
  /** What of a value is wrong, where it has parts that can be wrong one by one. */
  faults?(text: string): string[];
  default: T;
  /** How the default reads in the reference, where the value itself doesn't say it. */
  defaultText?: string;
  /** Never logged or shown; the Pulumi programs pass it through a secret store. */
  secret: boolean;
  /** The backends that read it; all unless said. */
  backends?: readonly BackendName[];
  description: string;
}

export const BACKEND_NAMES = ['docker', 'process', 'ecs'] as const;
export type BackendName = (typeof BACKEND_NAMES)[number];

interface Meta<T> {
  default: T;
  defaultText?: string;
  secret?: boolean;
  backends?: readonly BackendName[];
  description: string;
}

function variable<T>(wants: string, parse: (text: string) => T | undefined, meta: Meta<T>): Variable<T> {
  return { wants, parse, secret: false, ...meta };
}

export function text<T extends string | undefined>(
  meta: Meta<T>,
  pattern = /^[^\0\n]+$/,
  wants = 'a text of one line',
) {
  return variable<string | T>(wants, (value) => (pattern.test(value) ? value : undefined), meta);
}

export function wholeNumber<T extends number | undefined>(meta: Meta<T>, least: number, most: number) {
  const parse = (value: string) => {
    const number = Number(value);
    return /^\d+$/.test(value) && number >= least && number <= most ? number : undefined;
  };
  return variable<number | T>(`a whole number from ${least} to ${most}`, parse, meta);
}

export function decimal(meta: Meta<number>, least: number, most: number) {
  const parse = (value: string) => {
    const number = Number(value);
    return /^\d+(\.\d+)?$/.test(value) && number >= least && number <= most ? number : undefined;
  };
  return variable<number>(`a number from ${least} to ${most}`, parse, meta);
}

/** Timers hold 24 days, and some limits are twice what is set. */
const MOST_SECONDS = 7 * 24 * 3600;

/** Seconds, decimals allowed. */
export function seconds(meta: Meta<number>, least = 0.001, most = MOST_SECONDS) {
  return secondsOr<never>(meta, least, most);
}

/** The same, where the default depends on something else. */
export function optionalSeconds(meta: Meta<undefined>, least = 0.001, most = MOST_SECONDS) {
  return secondsOr<undefined>(meta, least, most);
}

function secondsOr<T extends undefined>(meta: Meta<number | T>, least: number, most: number) {
  const parse = (value: string) => {
    const number = Number(value);
    return /^\d+(\.\d+)?$/.test(value) && number >= least && number <= most ? number : undefined;
  };
  return variable<number | T>(`seconds, from ${least} to ${most}`, parse, meta);
}

export function flag(meta: Meta<boolean>) {
  const values = new Map([
    ['1', true],
    ['true', true],
    ['0', false],
    ['false', false],
  ]);
  const parse = (value: string) => values.get(value);
  return variable<boolean>('1 or 0', parse, meta);
}

export function oneOf<const V extends string, const T extends V | undefined>(
  values: readonly V[],
  meta: Meta<T>,
) {
  const parse = (value: string) => values.find((each) => each === value);
  return variable<V | T>(`one of ${values.join(', ')}`, parse, meta);
}

export function url<T extends string | undefined>(schemes: readonly string[], meta: Meta<T>) {
  const parse = (value: string) => {
    const parsed = URL.parse(value);
    return parsed !== null && schemes.includes(parsed.protocol.slice(0, -1)) ? value : undefined;
  };
  return variable<string | T>(`an address with ${schemes.map((s) => `${s}://`).join(' or ')}`, parse, meta);
}

/** Names of files and folders, `*` for anything within a name. */
export function nameList(meta: Meta<readonly string[]>) {
  const parse = (value: string) => {
    const items = value.split(',').map((each) => each.trim());
    return items.length <= 200 && items.every((item) => /^[^/\0]{1,255}$/.test(item)) ? items : undefined;
  };
  return variable<readonly string[]>(
    'up to 200 names separated by commas (node_modules, *.pyc)',
    parse,
    meta,
  );
}

/** Hosts as an egress proxy's list has them. */
export function domainList<T extends readonly string[] | undefined>(meta: Meta<T>) {
  const parse = (value: string): readonly string[] | undefined => {
    if (value === 'none') return [];
    const items = value.split(',').map((each) => each.trim());
    return items.length <= MOST_ALLOW_ENTRIES && items.every((item) => DOMAIN.test(item)) ? items : undefined;
  };
  return variable<readonly string[] | T>(
    'hosts separated by commas (pypi.org, .example.com, host:8443, internal:registry.local), or none',
    parse,
    meta,
  );
}

/** The rough form; the proxy's own parser has the last word. */
const DOMAIN = /^(internal:)?(\.?[^\s:/@[\]]{1,253}|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

/** One image of a registry. */
export function imageReference(meta: Meta<undefined>) {
  const parse = (value: string) => (parseImageReference(value) === undefined ? undefined : value);
  return variable<string | undefined>(
    'an image, [registry/]name[:tag][@sha256:…], in lower case',
    parse,
    meta,
  );
}

/** Images, and folders of a registry, which end in `/`. */
export function imageList(meta: Meta<undefined>) {
  const isImage = (item: string) => isImageFolder(item) || parseImageReference(item) !== undefined;
  const parse = (value: string) => {
    const items = value.split(',').map((each) => each.trim());
    return items.length <= 200 && items.every(isImage) ? items : undefined;
  };
  return variable<readonly string[] | undefined>(
    'up to 200 images, or folders that end in /, separated by commas (workspace-editor, registry.example.com/team/)',
    parse,
    meta,
  );
}

/** `name=image` of images by their plain names. */
export function imageMap(meta: Meta<ReadonlyMap<string, string>>, names: readonly string[]) {
  const parse = (value: string) => {
    const pairs = value.split(',').map((each) => each.trim().split('='));
    const valid = pairs.every(
      ([name = '', image = '', ...more]) =>
        more.length === 0 && names.includes(name) && parseImageReference(image) !== undefined,
    );
    return valid ? new Map(pairs.map(([name = '', image = '']) => [name, image])) : undefined;
  };
  return variable<ReadonlyMap<string, string>>(
    `name=image, separated by commas, where name is one of ${names.join(', ')}`,
    parse,
    meta,
  );
}

/** Names that AWS gave. */
export function awsNames(meta: Meta<readonly string[]>, pattern: RegExp, most: number, example: string) {
  const parse = (value: string) => {
    const items = value.split(',').map((each) => each.trim());
    return items.length <= most && items.every((item) => pattern.test(item)) ? items : undefined;
  };
  return variable<readonly string[]>(`up to ${most} names separated by commas (${example})`, parse, meta);
}

/** `name=ARN:port` of task definitions. */
export function functionTasks(meta: Meta<readonly FunctionTask[]>): Variable<readonly FunctionTask[]> {
  const read = (text: string) => {
    const parsed = parseFunctionTasks(text);
    return 'tasks' in parsed ? { ...parsed, problems: [] } : { ...parsed, tasks: undefined };
  };
  return {
    ...variable<readonly FunctionTask[]>(FUNCTION_TASKS_WANT, (text) => read(text).tasks, meta),
    faults: (text) => read(text).problems,
  };
}

/** Addresses, ranges, or Express's names for the usual ones. */
export function addressList(meta: Meta<readonly string[]>) {
  const parse = (value: string) => {
    const items = value.split(',').map((each) => each.trim());
    return items.every(isAddressOrRange) ? items : undefined;
  };
  return variable<readonly string[]>(
    'addresses or ranges separated by commas (10.0.0.0/8, loopback)',
    parse,
    meta,
  );
}

function isAddressOrRange(item: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(item)) return true;
  const [address = '', bits, ...rest] = item.split('/');
  const host = address.includes(':') ? `[${address}]` : address;
  const valid = host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host);
  if (!valid || rest.length > 0 || !URL.canParse(`http://${host}`)) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (host.startsWith('[') ? 128 : 32));
}
