import { ARGUMENT_NAMES, checkArgs, checkName, type PlatformArgs } from './platform-args.ts';

const NAMESPACE = 'berth:';
/** What a program of one's own gives a component as its name. */
const NAME = 'name';

/** Every key that a stack can set. */
export const STACK_KEYS: readonly string[] = [NAME, ...ARGUMENT_NAMES];

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

/** Of a stack's own, so that stacks of one account or engine are apart; or as the stack has it. */
export function platformName(
  all: Readonly<Record<string, string>>,
  { project, stack }: { project: string; stack: string },
): string {
  const name = all[NAMESPACE + NAME] ?? `${project}-${stack}`;
  checkName(name, ` Name it: pulumi config set ${NAMESPACE}${NAME} agents`);
  return name;
}

/**
 * The platform that a stack's configuration describes, from all keys that Pulumi has. Throws one error that names every
 * key that is wrong or not known, each with an example.
 */
export function readStackConfig(all: Readonly<Record<string, string>>): PlatformArgs {
  const given = Object.entries(all)
    .filter(([key]) => key.startsWith(NAMESPACE))
    .map(([key, text]): [string, string] => [key.slice(NAMESPACE.length), text]);
  const unknown = given.map(([key]) => key).filter((key) => !STACK_KEYS.includes(key));
  if (unknown.length > 0) {
    const names = unknown.map((key) => NAMESPACE + key).join(', ');
    throw new Error(`There is no configuration key ${names}; there are ${STACK_KEYS.join(', ')}.`);
  }
  const args = Object.fromEntries(
    given
      .filter(([key]) => key !== NAME)
      .map(([key, text]) => [key, READ[key as keyof PlatformArgs]?.(text) ?? text]), // the cast: known, as above
  );
  const platform = { platform: undefined, ...args } as unknown as PlatformArgs; // the cast: checked next
  if (args.platform === undefined) {
    throw new Error('berth:platform is not set: pulumi config set berth:platform docker (or ecs).');
  }
  checkArgs(platform, (key) => NAMESPACE + key, `Set one: pulumi config set ${NAMESPACE}<key> <value>`);
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
