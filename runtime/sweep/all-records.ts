import type { ConversationRecord } from '../contracts/conversation-record.ts';
import type { ConversationStore } from '../state/conversation-store.ts';

const PAGE = 200;

/** Every live record, a page at a time. One that changes meanwhile may come twice. */
export async function* allRecords(store: ConversationStore): AsyncGenerator<ConversationRecord> {
  let cursor: string | undefined;
  do {
    const page = await store.scan(cursor, PAGE);
    yield* page.records;
    cursor = page.next;
  } while (cursor !== undefined);
}
