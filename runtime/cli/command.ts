import type { Environment } from './command-spec.ts';
import type { CommandName, GivenTo } from './command-table.ts';
import type { Screen } from './terminal/screen.ts';

export interface Surroundings {
  env: Environment;
  screen: Screen;
}

/** Does what the command of this name is for, and resolves with the exit code. */
export type Command<Name extends CommandName> = (
  given: GivenTo<Name>,
  around: Surroundings,
) => Promise<number>;
