import type { Command } from '../command.ts';
import { openService } from '../connection/open-service.ts';
import { eachOf } from '../each-of.ts';

export const command: Command<'function rm'> = async (given, { env, screen }) => {
  const { functions } = await openService(given.options, env);
  const { json } = given.options;
  return eachOf(given.arguments.function, { screen, json }, (name) => functions.delete(name));
};
