import type { ConversationId, TenantId } from '../contracts/ids.ts';

/** Whose files these are. */
export interface FilesOwner {
  tenant: TenantId;
  conversation: ConversationId;
}

/** All that is kept of any conversation begins so. */
export const ALL_FILES = 'workspaces/';

/** All that is kept of a conversation's files begins so. */
export function filesPrefix({ tenant, conversation }: FilesOwner): string {
  return `${ALL_FILES}${tenant}/${conversation}/`;
}

export function manifestKey(owner: FilesOwner): string {
  return `${filesPrefix(owner)}manifest.json`;
}

/** Not a file of the conversation's, but kept and purged with them. */
export function egressSettingsKey(owner: FilesOwner): string {
  return `${filesPrefix(owner)}egress.sealed`;
}

export function blobsPrefix(owner: FilesOwner): string {
  return `${filesPrefix(owner)}blobs/`;
}

export function blobKey(owner: FilesOwner, sha256: string): string {
  return `${blobsPrefix(owner)}${sha256}`;
}
