import { seconds } from '../arguments/values.ts';
import type { Command } from '../command.ts';
import { openService } from '../connection/open-service.ts';
import { interruptible } from '../interruptible.ts';
import { reach } from './reach.ts';

export const command: Command<'workspace create'> = async (given, { env, screen }) => {
  const { options } = given;
  const archive = options['archive-ttl'];
  const wanted = {
    id: given.arguments.id,
    name: options.name,
    image_ref: options.image,
    standby_ttl_seconds: seconds('standby-ttl', options['standby-ttl']),
    archive_ttl_seconds: archive === 'never' ? null : seconds('archive-ttl', archive),
    desired_state: options.stopped ? ('STANDBY' as const) : undefined,
  };
  const { workspaces } = await openService(options, env);
  return interruptible(screen, async (signal) => {
    let workspace = await workspaces.create(wanted, { signal });
    if (options.wait)
      workspace = await reach(workspaces, workspace.id, options.stopped ? 'STANDBY' : 'RUNNING', {
        screen,
        signal,
      });
    if (options.json) screen.json(workspace);
    else screen.print(`${workspace.id}\n`);
    return 0;
  });
};
