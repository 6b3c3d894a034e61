import { mkdirSync } from 'node:fs';
import { errnoOf, Problem } from '../problem.ts';
import { fileProblem, isMissing } from './file-problem.ts';
import { OpenDirectory } from './open-inside.ts';
import { joinPath, showPath } from './workspace-path.ts';

/** Opens a directory below the workspace and makes what is missing of it, never outside. */
export function makeDirectories(root: string, path: string): OpenDirectory {
  try {
    return new OpenDirectory(root, path);
  } catch (error) {
    if (!isMissing(error) || path === '') throw error;
  }
  let at = '';
  let directory = new OpenDirectory(root, at);
  for (const name of path.split('/')) {
    const within = directory;
    try {
      makeDirectory(within.at(name));
      at = joinPath(at, name);
      directory = new OpenDirectory(root, at);
    } catch (error) {
      const problem = fileProblem(error, path);
      if (!isMissing(problem)) throw problem;
      throw new Problem(
        'INVALID_PATH',
        `the path runs through a file, or a link to nothing: ${showPath(path)}`,
      );
    } finally {
      within.close();
    }
  }
  return directory;
}

function makeDirectory(name: string): void {
  try {
    mkdirSync(name);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error; // opening it tells whether it is a directory
  }
}
