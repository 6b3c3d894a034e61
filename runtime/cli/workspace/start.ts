import type { Command } from '../command.ts';
import { want } from './want.ts';

export const command: Command<'workspace start'> = (given, around) =>
  want('RUNNING', given, around, async (workspaces, id) => {
    const { observed_status } = await workspaces.update(id, { desired_state: 'RUNNING' });
    if (observed_status === 'ERROR') await workspaces.retry(id);
  });
