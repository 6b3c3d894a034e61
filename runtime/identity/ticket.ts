import { z } from 'zod';
import {
  type ContainerId,
  type ConversationId,
  parseContainerId,
  parseConversationId,
  parseTenantId,
  type TenantId,
} from '../contracts/ids.ts';

/** Whose a container is. It is handed over last, so a container with a ticket is a whole one. */
export interface Ticket {
  container_id: ContainerId;
  tenant_id: TenantId;
  conversation_id: ConversationId;
  /** Milliseconds, by the store's clock. */
  claimed_at: number;
  /** The saved version its files were restored from. */
  restored_version: string | null;
}

const schema = z.object({
  container_id: z.string().transform(required(parseContainerId)),
  tenant_id: z.string().transform(required(parseTenantId)),
  conversation_id: z.string().transform(required(parseConversationId)),
  claimed_at: z.number(),
  restored_version: z.string().nullable(),
});

export function parseTicket(json: string): Ticket | undefined {
  return schema.safeParse(JSON.parse(json)).data;
}

function required<Id>(parse: (text: string) => Id | undefined) {
  return (text: string, context: z.RefinementCtx): Id => {
    const id = parse(text);
    if (id !== undefined) return id;
    context.addIssue({ code: 'custom', message: 'is not a valid id' });
    return z.NEVER;
  };
}
