import { statSync } from 'node:fs';
import { errnoOf, Problem } from '../problem.ts';
import type { CommandOrder } from './exec-request.ts';

/**
 * Why a command could not be spawned. The system says the same of a missing directory as of a missing
 * program, so that is looked up now rather than before every command.
 */
export function spawnProblem(
  error: unknown,
  { program, cwd }: Pick<CommandOrder, 'program' | 'cwd'>,
): Problem {
  if (!isDirectory(cwd)) {
    return new Problem('INVALID_REQUEST', `cwd is not an existing directory: ${cwd}`);
  }
  const code = errnoOf(error);
  switch (code) {
    case 'ENOENT':
      return new Problem('COMMAND_NOT_FOUND', `there is no such program: ${program}`);
    case 'EACCES':
      return new Problem('INVALID_REQUEST', `not allowed to run: ${program}`);
    case 'E2BIG':
      return new Problem('INVALID_REQUEST', 'cmd and env are together too long for the system');
    case 'EAGAIN':
    case 'ENOMEM':
    case 'EMFILE':
    case 'ENFILE':
      return new Problem('NO_RESOURCES', `the sandbox has no room for another process (${code})`);
    default:
      return new Problem('INVALID_REQUEST', `cannot run ${program}: ${code ?? error}`);
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // not there, or no path at all: the same to who wants to run there
  }
}
