import type { Command } from '../command.ts';
import { Failure } from '../command-spec.ts';
import { openService } from '../connection/open-service.ts';
import { escaped, shown } from '../terminal/escape.ts';
import { age, size } from '../terminal/measures.ts';
import { listFiles, listFolder } from './list-folder.ts';
import { remotePlace } from './place.ts';
import { filesBelow } from './plan-copy.ts';

export const command: Command<'ls'> = async (given, { env, screen }) => {
  const [, conversation = '', typed = ''] = /^([^:]*):?([\s\S]*)$/.exec(given.arguments.place) ?? [];
  const { path } = remotePlace(conversation, typed);
  const berth = await openService(given.options, env);
  const list = await berth.conversation(conversation).files.list();
  const found = filesBelow(list.files, path);
  if (path !== '' && found.length === 0) throw new Failure(`there is no ${shown(path)} in ${conversation}`);
  if (given.options.json) {
    screen.json({ ...list, files: found.map(({ file }) => file) });
    return 0;
  }
  const entries = given.options.recursive ? listFiles(found) : listFolder(found);
  const now = Date.now();
  screen.table(
    [
      { title: 'SIZE', right: true },
      { title: 'CHANGED', right: true },
      { title: 'NAME', shrinks: true },
    ],
    entries.map((entry) => [
      size(entry.size),
      age(entry.modifiedAt, now),
      { text: entry.name, style: entry.name.endsWith('/') ? 'cyan' : undefined },
    ]),
  );
  for (const each of list.skipped)
    screen.note(`berth: not shown: ${shown(each.path)}: ${escaped(each.reason)}`);
  if (list.truncated) screen.note('berth: there are more files than the service lists');
  return 0;
};
