import { BerthError } from '../../client/wire/berth-error.ts';
import type { Command } from '../command.ts';
import { openService } from '../connection/open-service.ts';
import { failureOf } from '../failure.ts';
import { age, left } from '../terminal/measures.ts';
import { stateStyle } from '../terminal/style.ts';
import { whatRuns } from './what-runs.ts';

export const command: Command<'ps'> = async ({ options }, { env, screen }) => {
  const berth = await openService(options, env);
  const missing: string[] = [];
  const [conversations, workspaces, containers] = await Promise.all([
    Array.fromAsync(berth.conversations.list()),
    unlessMissing(Array.fromAsync(berth.workspaces.list()), 'workspaces', missing),
    unlessMissing(berth.containers.list(), 'containers', missing),
  ]);
  for (const note of missing) screen.note(note);
  if (options.json) {
    screen.json({ conversations, workspaces: workspaces ?? null, containers: containers ?? null });
    return 0;
  }
  const running = whatRuns({ conversations, workspaces: workspaces ?? [], containers });
  if (running.length === 0) {
    screen.note('Nothing runs.');
    return 0;
  }
  const now = Date.now();
  const severalTenants = new Set(running.flatMap(({ tenant }) => tenant ?? [])).size > 1;
  screen.table(
    [
      { title: 'KIND' },
      { title: 'NAME', shrinks: true },
      ...(severalTenants ? [{ title: 'TENANT', shrinks: true as const }] : []),
      { title: 'STATUS' },
      { title: 'CONTAINER', shrinks: true },
      { title: 'AGE', right: true },
      { title: 'LEFT', right: true },
    ],
    running.map((each) => [
      each.kind,
      each.name,
      ...(severalTenants ? [each.tenant ?? '-'] : []),
      { text: each.status, style: stateStyle(each.status) },
      each.container,
      age(each.createdAt, now),
      left(each.until, now),
    ]),
  );
  return 0;
};

/** What this key may not see, or this backend does not have, is left out; what failed is told. */
async function unlessMissing<Value>(
  asked: Promise<Value>,
  what: string,
  missing: string[],
): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof BerthError)) throw error;
    if (error.status !== 403 && error.status !== 501)
      missing.push(`berth: ${what} are left out: ${failureOf(error).message}`);
    return undefined;
  }
}
