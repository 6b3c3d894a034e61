import type { Workspaces } from '../../client/workspaces.ts';
import type { Surroundings } from '../command.ts';
import { openService } from '../connection/open-service.ts';
import { eachOf } from '../each-of.ts';
import { interruptible } from '../interruptible.ts';
import { reach } from './reach.ts';

interface WantGiven {
  arguments: { workspace: string[] };
  options: { wait: boolean; json: boolean; url: string | undefined; 'key-file': string | undefined };
}

/** Asks for a state of workspaces, and waits for it where that is wanted. */
export async function want(
  wanted: 'RUNNING' | 'STANDBY',
  given: WantGiven,
  { env, screen }: Surroundings,
  ask: (workspaces: Workspaces, id: string) => Promise<unknown>,
): Promise<number> {
  const { wait, json } = given.options;
  const { workspaces } = await openService(given.options, env);
  return interruptible(screen, (signal) =>
    eachOf(given.arguments.workspace, { screen, json }, async (id) => {
      await ask(workspaces, id);
      if (wait) await reach(workspaces, id, wanted, { screen, signal });
    }),
  );
}
