import { hash, randomBytes } from 'node:crypto';
import type { ExecuteRequest } from '../../contracts/agent-protocol.ts';
import type { McpRule } from '../../contracts/egress.ts';
import { type ConversationId, type ExecutionId, executionId, type TenantId } from '../../contracts/ids.ts';

/** What a caller asks for. */
export interface ExecutionOrder {
  request: Omit<ExecuteRequest, 'execution_id' | 'timeout_seconds'>;
  /** For the whole of it. */
  seconds: number;
  onDisconnect: 'continue' | 'cancel';
  /** The same key again means the same execution. */
  idempotencyKey: string | undefined;
  /** In place of those that the conversation has. */
  mcpServers: Record<string, McpRule> | undefined;
}

/** The execution that an order means: with a key always the same one. */
export function executionOf(
  tenant: TenantId,
  conversation: ConversationId,
  { idempotencyKey }: ExecutionOrder,
): ExecutionId {
  if (idempotencyKey === undefined) return executionId(randomBytes(12).toString('hex'));
  return executionId(hash('sha256', JSON.stringify([tenant, conversation, idempotencyKey])));
}

/** Equal for equal orders. */
export function bodyHashOf({ request, seconds, onDisconnect, mcpServers }: ExecutionOrder): string {
  return hash('sha256', JSON.stringify([sorted(request), seconds, onDisconnect, sorted(mcpServers)]));
}

/** The order of fields means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}
