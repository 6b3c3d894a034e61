import type { Call } from '../agent.ts';
import { decodeWorkspacePath, type WorkspacePath } from './workspace-path.ts';

/** The path that `/files/{path}` names. */
export function requestedPath({ path }: Call): WorkspacePath {
  return decodeWorkspacePath(path.slice('/files/'.length));
}
