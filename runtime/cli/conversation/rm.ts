import type { Command } from '../command.ts';
import { UsageError } from '../command-spec.ts';
import { openService } from '../connection/open-service.ts';
import { eachOf } from '../each-of.ts';
import { parsePlace } from './place.ts';

export const command: Command<'rm'> = async (given, { env, screen }) => {
  const { purge, json } = given.options;
  for (const name of given.arguments.what) filePath(name);
  const berth = await openService(given.options, env);
  return eachOf(given.arguments.what, { screen, json }, async (name) => {
    const path = filePath(name);
    if (path === undefined) await berth.conversation(name).delete({ purge });
    else await berth.conversation(name.slice(0, name.indexOf(':'))).files.delete(path);
  });
};

/** Of `conversation:path`; undefined for a conversation. */
function filePath(name: string): string | undefined {
  const place = parsePlace(name);
  if (place.kind !== 'remote') return undefined;
  if (place.path === '')
    throw new UsageError(`${name} names no file; without the colon the conversation goes`);
  return place.path;
}
