import { ARGUMENT_NAMES, checkArgs, type PlatformArgs } from './platform-args.ts';

const NAMESPACE = 'berth:';

/** How the text of a key is read: most are texts. Anything that can't be read stays a text, and is refused as such. */
const READ: Partial<Record<keyof PlatformArgs, (text: string) => unknown>> = {
  accessLogDays: Number,
  warmPoolMin: Number,
  warmPoolMax: Number,
  maxContainers: Number,
  runtimeReplicas: Number,
  port: Number,
  destroyData: (text) => (text === 'true' ? true : text === 'false' ? false : text),
  allowedDomains: list,
  clientRanges: list,
  subnetIds: list,
};

/**
 * The platform that a stack's configuration describes, from all keys that Pulumi has. Throws one error that names every
 * key that is wrong or not known, each with an example.
 */
export function readStackConfig(all: Readonly<Record<string, string>>): PlatformArgs {
  const given = Object.entries(all)
    .filter(([key]) => key.startsWith(NAMESPACE))
    .map(([key, text]): [string, string] => [key.slice(NAMESPACE.length), text]);
  const unknown = given.map(([key]) => key).filter((key) => !(ARGUMENT_NAMES as string[]).includes(key));
  if (unknown.length > 0) {
    const names = unknown.map((key) => NAMESPACE + key).join(', ');
    throw new Error(`There is no configuration key ${names}; there are ${ARGUMENT_NAMES.join(', ')}.`);
  }
  const args = Object.fromEntries(
    given.map(([key, text]) => [key, READ[key as keyof PlatformArgs]?.(text) ?? text]), // the cast: known, as above
  );
  const platform = { platform: undefined, ...args } as unknown as PlatformArgs; // the cast: checked next
  if (args.platform === undefined) {
    throw new Error('berth:platform is not set: pulumi config set berth:platform docker (or ecs).');
  }
  checkArgs(platform, (key) => NAMESPACE + key);
  return platform;
}

/** A list as JSON, or as words between commas. */
function list(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return text.split(',').map((item) => item.trim());
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
