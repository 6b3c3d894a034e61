import { parseConversationId, parseTenantId } from '../contracts/ids.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { ALL_FILES, type FilesOwner } from './saved-keys.ts';

/** Every conversation of which something is in the store, in the order of keys. */
export async function* savedOwners(objects: ObjectStore): AsyncGenerator<FilesOwner> {
  let last = '';
  for await (const { key } of objects.list(ALL_FILES)) {
    const [, tenantText = '', conversationText = ''] = key.split('/');
    const name = `${tenantText}/${conversationText}`;
    if (name === last) continue;
    last = name;
    const tenant = parseTenantId(tenantText);
    const conversation = parseConversationId(conversationText);
    if (tenant !== undefined && conversation !== undefined) yield { tenant, conversation };
  }
}
