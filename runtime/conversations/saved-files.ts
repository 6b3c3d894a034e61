import type { Readable } from 'node:stream';
import type { FileManifest } from '../contracts/agent-protocol.ts';
import type { ConversationId, TenantId } from '../contracts/ids.ts';

export interface FileContent {
  size: number;
  content: Readable;
}

/** What is in the object store; undefined when nothing is saved, or no such file. */
export interface SavedFiles {
  /** Whether anything is kept of the conversation, settings of its own too. */
  isAnything(of: { tenant: TenantId; conversation: ConversationId }): Promise<boolean>;
  list(of: { tenant: TenantId; conversation: ConversationId }): Promise<FileManifest | undefined>;
  read(
    of: { tenant: TenantId; conversation: ConversationId },
    path: string,
  ): Promise<FileContent | undefined>;
}
