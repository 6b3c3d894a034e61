import { refusal } from './argument-problems.ts';
import { platformProblems } from './check-platform.ts';
import type { PlatformArgs } from './platform-args.ts';
import { ARGUMENT_NAMES } from './platform-rules.ts';

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
  functionTaskDefinitions: list,
  subnetIds: list,
};

/** What the configuration does not say. */
interface Stack {
  project: string;
  stack: string;
  /** Of AWS, where it is known. */
  region: string | undefined;
}

/**
 * The platform that a stack's configuration describes, from all keys that Pulumi has. Its name is of the stack's own,
 * so that stacks of one account or engine are apart, or as the stack has it. Throws one error that names every key that
 * is wrong, missing or not known, each with an example.
 */
export function readStack(
  all: Readonly<Record<string, string>>,
  { project, stack, region }: Stack,
): { name: string; args: PlatformArgs } {
  const given = Object.entries(all)
    .filter(([key]) => key.startsWith(NAMESPACE))
    .map(([key, text]): [string, string] => [key.slice(NAMESPACE.length), text]);
  const name = all[NAMESPACE + NAME] ?? `${project}-${stack}`;
  const read = given.filter(([key]) => key !== NAME).map(([key, text]) => [key, readValue(key, text)]);
  const args = Object.fromEntries(read) as PlatformArgs; // the cast: checked next
  const problems = platformProblems(name, args, region);
  if (problems.length === 0) return { name, args };
  const remedy = `Set one: pulumi config set ${NAMESPACE}<key> <value>`;
  throw refusal(problems, (key) => NAMESPACE + key, remedy);
}

/** What a key is set to; of one that there is not, its text. */
function readValue(key: string, text: string): unknown {
  const known = ARGUMENT_NAMES.find((name) => name === key);
  return (known && READ[known]?.(text)) ?? text;
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
