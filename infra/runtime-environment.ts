import type { Input } from '@pulumi/pulumi';
import type { VariableName } from '../runtime/contracts/environment.ts';
import { SECRET_VARIABLES, type SecretVariable } from '../runtime/contracts/secret-variables.ts';

/** The runtime's own default is what this platform wants. */
export const DEFAULT = { left: 'to the default' } as const;
type Default = typeof DEFAULT;

/** What a variable is set to: one that is secret comes from a secret store, as `Secret` names it there. */
type Setting<Name extends VariableName, Secret> =
  | (Name extends SecretVariable ? Secret : Input<string>)
  | Default;

/**
 * The runtime's environment on one platform. It says something of every variable that the runtime reads and of no
 * other, so that a variable that is added, renamed or dropped there does not compile here until it is decided about.
 */
export type RuntimeEnvironment<Secret> = { readonly [Name in VariableName]: Setting<Name, Secret> };

export interface NamedValue<Value> {
  name: VariableName;
  value: Value;
}

/** The variables that are set in the clear, in the order of their names. */
export function plainVariables<Secret>(environment: RuntimeEnvironment<Secret>): NamedValue<Input<string>>[] {
  return settings(environment, (name) => !isSecret(name)) as NamedValue<Input<string>>[]; // by their names
}

/** The variables that come from a secret store. */
export function secretVariables<Secret>(environment: RuntimeEnvironment<Secret>): NamedValue<Secret>[] {
  return settings(environment, isSecret) as NamedValue<Secret>[]; // by their names
}

function settings<Secret>(
  environment: RuntimeEnvironment<Secret>,
  wanted: (name: VariableName) => boolean,
): NamedValue<unknown>[] {
  const names = Object.keys(environment) as VariableName[]; // the type has no other
  return names
    .filter((name) => wanted(name) && environment[name] !== DEFAULT)
    .sort()
    .map((name) => ({ name, value: environment[name] }));
}

function isSecret(name: VariableName): name is SecretVariable {
  return (SECRET_VARIABLES as readonly string[]).includes(name);
}
