import { failureOf } from './failure.ts';
import { escaped } from './terminal/escape.ts';
import type { Screen } from './terminal/screen.ts';

/** Does something to each, tells of those that fail, and goes on. */
export async function eachOf(
  names: readonly string[],
  { screen, json }: { screen: Screen; json: boolean },
  act: (name: string) => Promise<unknown>,
): Promise<number> {
  const done: string[] = [];
  let exitCode = 0;
  for (const name of names) {
    try {
      await act(name);
      done.push(name);
      if (!json) screen.print(`${escaped(name)}\n`);
    } catch (error) {
      const failure = failureOf(error);
      screen.note(`berth: ${escaped(name)}: ${failure.message}`);
      exitCode = failure.exitCode;
    }
  }
  if (json) screen.json({ done });
  return exitCode;
}
