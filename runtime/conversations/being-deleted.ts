import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ConversationId } from '../contracts/ids.ts';

const RETRY_AFTER_SECONDS = 5;

/** By its user: the next use waits for that to be over. */
export function isDeleted({ drainReason }: ConversationRecord): boolean {
  return drainReason === 'deleted' || drainReason === 'purged';
}

export function deleting(caller: { conversation: ConversationId }): BerthError {
  return new BerthError('CONVERSATION_DRAINING', `conversation ${caller.conversation} is being deleted`, {
    retry_after: RETRY_AFTER_SECONDS,
  });
}
