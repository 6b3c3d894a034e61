import type { WorkspaceId } from '../contracts/ids.ts';

/** Where an operation archives a home to. No two operations share one, so that none spoils another's. */
export function archiveKey(workspace: WorkspaceId, opId: string): string {
  return `archives/${workspace}/${opId}/home.tar.zst`;
}

/** Holds the hash of the archive. Written last: without it there is no archive. */
export function metaKey(archive: string): string {
  return `${archive}.meta`;
}
