import type { Workspace } from '../../client/api.ts';
import type { Command } from '../command.ts';
import { openService } from '../connection/open-service.ts';
import { standsByAt } from '../conversation/what-runs.ts';
import { age, left } from '../terminal/measures.ts';
import { stateStyle } from '../terminal/style.ts';

export const command: Command<'workspace ls'> = async ({ options }, { env, screen }) => {
  const berth = await openService(options, env);
  const workspaces = await Array.fromAsync(berth.workspaces.list());
  if (options.json) {
    screen.json({ workspaces });
    return 0;
  }
  const now = Date.now();
  screen.table(
    [
      { title: 'WORKSPACE' },
      { title: 'NAME', shrinks: true },
      { title: 'STATUS' },
      { title: 'AGE', right: true },
      { title: 'USED', right: true },
      { title: 'LEFT', right: true },
      { title: 'NOTE', shrinks: true },
    ],
    workspaces.map((workspace) => {
      const status = statusOf(workspace);
      return [
        workspace.id,
        workspace.name ?? '-',
        { text: status, style: stateStyle(status) },
        age(workspace.created_at, now),
        age(workspace.last_access_at, now),
        left(standsByAt(workspace), now),
        workspace.error?.message ?? workspace.progress ?? '',
      ];
    }),
  );
  return 0;
};

function statusOf({ operation, observed_status, archived }: Workspace): string {
  if (operation !== 'NONE') return operation.toLowerCase();
  return archived && observed_status === 'PENDING' ? 'archived' : observed_status.toLowerCase();
}
