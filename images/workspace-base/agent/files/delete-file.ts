import { unlinkSync } from 'node:fs';
import type { Call } from '../agent.ts';
import { fileProblem } from './file-problem.ts';
import { OpenDirectory } from './open-inside.ts';
import { requestedPath } from './requested-path.ts';
import { splitPath } from './workspace-path.ts';

/** Removes a file, or a link itself. Directories are for `rm` to remove. */
export function deleteFile(call: Call): void {
  const path = requestedPath(call);
  const { parent, name } = splitPath(path);
  const directory = new OpenDirectory(call.agent.root, parent);
  try {
    unlinkSync(directory.at(name));
  } catch (error) {
    throw fileProblem(error, path);
  } finally {
    directory.close();
  }
  call.res.writeHead(204).end();
}
