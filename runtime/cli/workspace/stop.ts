import type { Command } from '../command.ts';
import { want } from './want.ts';

export const command: Command<'workspace stop'> = (given, around) =>
  want('STANDBY', given, around, (workspaces, id) => workspaces.update(id, { desired_state: 'STANDBY' }));
