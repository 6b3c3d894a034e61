import {
  type ContainerId,
  type ConversationId,
  conversationContainerId,
  type ExecutionId,
  executionId,
  type FunctionName,
  newWorkerId,
  parseConversationId,
  parseFunctionName,
  parseTenantId,
  parseWorkspaceId,
  type TenantId,
  type WorkId,
  type WorkspaceId,
  workId,
} from '../../../runtime/contracts/ids.ts';

export const tenant = (text: string): TenantId => given(parseTenantId(text), text);
export const conversation = (text: string): ConversationId => given(parseConversationId(text), text);
export const workspace = (text: string): WorkspaceId => given(parseWorkspaceId(text), text);
export const functionName = (text: string): FunctionName => given(parseFunctionName(text), text);

/** The n-th container id. */
export function container(n: number): ContainerId {
  return conversationContainerId(n.toString(16).padStart(12, '0'));
}

/** The n-th worker id of this function. */
export function worker(n: number, of = 'f'): ContainerId {
  return newWorkerId(functionName(of), n.toString(16).padStart(12, '0'));
}

/** The n-th work id. */
export const work = (n: number): WorkId => workId('exec', String(n));

/** The n-th execution id. */
export const execution = (n: number): ExecutionId => executionId(n.toString(16).padStart(24, '0'));

function given<Name>(name: Name | undefined, text: string): Name {
  if (name === undefined) throw new Error(`${text} is not a name of its kind.`);
  return name;
}
