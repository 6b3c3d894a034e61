import type { Command } from '../command.ts';
import { Failure } from '../command-spec.ts';
import { openService } from '../connection/open-service.ts';
import { escaped } from '../terminal/escape.ts';
import { openInBrowser } from './browser.ts';

export const command: Command<'workspace open'> = async (given, { env, screen }) => {
  const berth = await openService(given.options, env);
  const session = await berth.workspaces.session(given.arguments.workspace);
  // It is handed to another program: whoever answers may name an address, and nothing else.
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(session.url))
    throw new Failure(`the service gave no link: ${escaped(session.url)}`);
  if (given.options.json) {
    screen.json(session);
    return 0;
  }
  screen.print(`${session.url}\n`);
  if (screen.terminal && !given.options['no-browser']) await openInBrowser(session.url, env);
  return 0;
};
