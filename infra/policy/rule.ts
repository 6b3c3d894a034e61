/** What a program asks of a resource, secrets without their marks. */
export type Props = Readonly<Record<string, unknown>>;

/**
 * What is wrong with a resource, in words. `secrets` are the names of properties that are marked as secret; nobody knows
 * them in a policy pack, where Pulumi takes the marks off.
 */
export type Check = (props: Props, secrets?: ReadonlySet<string>) => string[];

interface Words {
  name: string;
  description: string;
  /** A mandatory rule stops a deployment; an advisory one is only told. */
  level: 'mandatory' | 'advisory';
  /** What to do about it. */
  fix: string;
}

/** A rule about resources by themselves: by type, how one is checked. Other types are none of its business. */
export interface ResourceRule extends Words {
  checks: Readonly<Record<string, Check>>;
}

/** A resource among others. */
export interface StackResource {
  type: string;
  name: string;
  props: Props;
  /** What it is made after, as `<type>::<name>`. */
  after: readonly string[];
}

/** A rule about what belongs together. */
export interface StackRule extends Words {
  check(resources: readonly StackResource[]): { resource: StackResource; problem: string }[];
}

/** What is told of a problem. */
export function message(rule: Words, problem: string): string {
  return `${problem}. ${rule.fix}`;
}

/** What is wrong with a resource by a rule, each as it is told. */
export function problemsOf(
  rule: ResourceRule,
  type: string,
  props: Props,
  secrets?: ReadonlySet<string>,
): string[] {
  return (rule.checks[type]?.(props, secrets) ?? []).map((problem) => message(rule, problem));
}
