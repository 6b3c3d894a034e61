import { message, problemsOf, RESOURCE_RULES, STACK_RULES } from '../../../infra/policy/rules.ts';
import type { Registered } from '../registered.ts';
import { isMarked, plain } from '../secret-marks.ts';

/** A resource as a test has it; `after` only where the order is recorded. */
export interface Recorded extends Registered {
  after?: string[];
}

/** Everything that any rule says of these, as `<rule>: <resource>: <problem>`. */
export function violations(resources: readonly Recorded[]): string[] {
  const seen = resources.map(({ type, name, inputs, after = [] }) => ({
    type,
    name,
    secrets: new Set(Object.keys(inputs).filter((key) => isMarked(inputs[key]))),
    props: plain(inputs),
    after: after.map((urn) => urn.slice(urn.lastIndexOf('$') + 1)),
  }));
  const alone = RESOURCE_RULES.flatMap((rule) =>
    seen.flatMap(({ type, name, props, secrets }) =>
      problemsOf(rule, type, props, secrets).map((problem) => `${rule.name}: ${name}: ${problem}`),
    ),
  );
  const together = STACK_RULES.flatMap((rule) =>
    rule
      .check(seen)
      .map(({ resource, problem }) => `${rule.name}: ${resource.name}: ${message(rule, problem)}`),
  );
  return [...alone, ...together];
}

/** A container definition's text, changed. */
export function changedContainer(definitions: string, change: Record<string, unknown>): string {
  const [first, ...others]: Record<string, unknown>[] = JSON.parse(definitions);
  return JSON.stringify([{ ...first, ...change }, ...others]);
}
