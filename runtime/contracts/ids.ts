import type { Role } from './labels.ts';

/** The names things go by. Each is a type of its own, made only by its parser. */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type TenantId = Branded<'TenantId'>;
export type ConversationId = Branded<'ConversationId'>;
export type FunctionName = Branded<'FunctionName'>;
export type WorkerId = Branded<'WorkerId'>;
/** Of a conversation's container, a workspace's, or a function's worker. */
export type ContainerId = Branded<'ContainerId'> | WorkerId;
export type InstallationId = Branded<'InstallationId'>;
export type WorkspaceId = Branded<'WorkspaceId'>;
export type VolumeName = Branded<'VolumeName'>;
export type WorkId = Branded<'WorkId'>;
export type ExecutionId = Branded<'ExecutionId'>;
export type TerminalId = Branded<'TerminalId'>;

const TENANT = /^[a-z0-9][a-z0-9-]{0,39}$/;
const CONVERSATION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const CONVERSATION_CONTAINER = /^ws-[0-9a-f]{12}$/;
const WORKSPACE = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;
/** Its container would have the name of a conversation's. */
const TWELVE_HEX = /^[0-9a-f]{12}$/;
const FUNCTION = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;
const WORKER = /^fn-(.+)-[0-9a-f]{12}$/;
const EXECUTION = /^ex-[0-9a-f]{24}$/;
const TERMINAL = /^tm-[0-9a-f]{24}$/;
const INSTALLATION = /^[a-z0-9][a-z0-9-]{0,39}$/;

// The casts below are the only places where a plain string becomes a name: each follows its check.

export function parseTenantId(text: string): TenantId | undefined {
  return TENANT.test(text) ? (text as TenantId) : undefined;
}

export function parseConversationId(text: string): ConversationId | undefined {
  return CONVERSATION.test(text) ? (text as ConversationId) : undefined;
}

export function parseContainerId(text: string): ContainerId | undefined {
  return CONVERSATION_CONTAINER.test(text) ? (text as ContainerId) : undefined;
}

export function parseInstallationId(text: string): InstallationId | undefined {
  return INSTALLATION.test(text) ? (text as InstallationId) : undefined;
}

export function parseWorkspaceId(text: string): WorkspaceId | undefined {
  return WORKSPACE.test(text) && !TWELVE_HEX.test(text) ? (text as WorkspaceId) : undefined;
}

/** A container id for a conversation, from a random (version 4) UUID: its last 12 digits are all random. */
export function conversationContainerId(uuid: string): ContainerId {
  return `ws-${uuid.slice(-12)}` as ContainerId;
}

const WORKSPACE_CONTAINER = /^ws-(.+)$/;
const HOME_VOLUME = /^ws-(.+)-home$/;

export function workspaceContainerId(workspace: WorkspaceId): ContainerId {
  return `ws-${workspace}` as ContainerId;
}

/** Within its tenant: another may have a function of the same name. */
export function parseFunctionName(text: string): FunctionName | undefined {
  return FUNCTION.test(text) ? (text as FunctionName) : undefined;
}

/** The last 12 digits of a random (version 4) UUID are all random: what tells workers of one name apart. */
export function newWorkerId(name: FunctionName, uuid: string = crypto.randomUUID()): WorkerId {
  return `fn-${name}-${uuid.slice(-12)}` as WorkerId;
}

export function parseWorkerId(text: string): WorkerId | undefined {
  return parseFunctionName(WORKER.exec(text)?.[1] ?? '') === undefined ? undefined : (text as WorkerId);
}

export function functionOfWorker(worker: WorkerId): FunctionName {
  return WORKER.exec(worker)?.[1] as FunctionName; // its parser has seen to it
}

/** A name of a container as a backend tells it. No two roles have names alike. */
export function parseAnyContainerId(text: string): ContainerId | undefined {
  const workspace = parseWorkspaceId(WORKSPACE_CONTAINER.exec(text)?.[1] ?? '');
  return parseContainerId(text) ?? (workspace && workspaceContainerId(workspace)) ?? parseWorkerId(text);
}

/** What a container with this name is for. */
export function roleOfContainer(container: ContainerId): Role {
  if (parseWorkerId(container) !== undefined) return 'function';
  return workspaceOfContainer(container) === undefined ? 'conversation' : 'workspace';
}

/** The workspace whose container has this name. */
export function workspaceOfContainer(container: ContainerId): WorkspaceId | undefined {
  return parseWorkspaceId(WORKSPACE_CONTAINER.exec(container)?.[1] ?? '');
}

export function homeVolume(workspace: WorkspaceId): VolumeName {
  return `ws-${workspace}-home` as VolumeName;
}

/** A name of a volume as a backend tells it; none but a workspace's is ours. */
export function parseVolumeName(text: string): VolumeName | undefined {
  return parseWorkspaceId(HOME_VOLUME.exec(text)?.[1] ?? '') === undefined ? undefined : (text as VolumeName);
}

export function workspaceOfVolume(volume: VolumeName): WorkspaceId | undefined {
  return parseWorkspaceId(HOME_VOLUME.exec(volume)?.[1] ?? '');
}

export function workId(kind: string, uuid: string): WorkId {
  return `${kind}-${uuid}` as WorkId;
}

export function parseExecutionId(text: string): ExecutionId | undefined {
  return EXECUTION.test(text) ? (text as ExecutionId) : undefined;
}

/** From 24 hex digits: random ones, or those of a hash where the same request must mean the same execution. */
export function executionId(digits: string): ExecutionId {
  return `ex-${digits.slice(0, 24)}` as ExecutionId;
}

const EXECUTION_WORK = 'execute-';

/** The work of an execution, which no other may run beside. */
export function executionWork(execution: ExecutionId): WorkId {
  return `${EXECUTION_WORK}${execution}` as WorkId;
}

/** The execution whose work it is, if it is one's. */
export function executionOfWork(work: WorkId): ExecutionId | undefined {
  return work.startsWith(EXECUTION_WORK) ? parseExecutionId(work.slice(EXECUTION_WORK.length)) : undefined;
}

export function parseTerminalId(text: string): TerminalId | undefined {
  return TERMINAL.test(text) ? (text as TerminalId) : undefined;
}

/** From 24 random hex digits. */
export function terminalId(digits: string): TerminalId {
  return `tm-${digits.slice(0, 24)}` as TerminalId;
}

/** What whoever looks at a terminal does. It lasts as long as they look, so nobody waits for its end. */
export const VIEWING = 'attach';

export function isViewingWork(work: WorkId): boolean {
  return work.startsWith(`${VIEWING}-`);
}
