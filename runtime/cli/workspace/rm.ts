import type { Command } from '../command.ts';
import { openService } from '../connection/open-service.ts';
import { eachOf } from '../each-of.ts';

export const command: Command<'workspace rm'> = async (given, { env, screen }) => {
  const { workspaces } = await openService(given.options, env);
  const { json } = given.options;
  return eachOf(given.arguments.workspace, { screen, json }, (id) => workspaces.delete(id));
};
