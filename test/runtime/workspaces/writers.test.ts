import { expect, it } from 'vitest';
import type { DatabaseOf } from '../../../runtime/database/database.ts';
import { sqliteUnderTest } from '../../contract/database/database-under-test.ts';
import { WorkspaceScenario, workspace } from '../../contract/database/workspace-scenario.ts';

// `npm run check` proves the rest: what is expected not to compile does not.

it('a writer of workspaces reads every column, and has no way to write those of another', async () => {
  await using under = await sqliteUnderTest();
  await new WorkspaceScenario(under.database).made();
  const ttl: DatabaseOf<'ttl'> = under.database;
  const monitor: DatabaseOf<'monitor'> = under.database;
  const proxy: DatabaseOf<'proxy'> = under.database;
  expect(await ttl.workspaces.reads.get(workspace())).toMatchObject({ observedStatus: 'PENDING' });
  const others = () => [
    // @ts-expect-error: what was seen is the monitor's to tell
    ttl.workspaces.monitor,
    // @ts-expect-error: operations are the reconciler's
    monitor.workspaces.reconciler,
    // @ts-expect-error: a user's words come by the API
    proxy.workspaces.api,
  ];
  expect(others).not.toThrow();
});
