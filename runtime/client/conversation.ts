import type {
  Conversation as ConversationRecord,
  Egress,
  EgressRequest,
  ExecRequest,
  ExecResult,
  ExecuteRequest,
  Execution as ExecutionRecord,
} from './api.ts';
import { ConversationFiles } from './conversation-files.ts';
import { ConversationTerminals } from './conversation-terminals.ts';
import { type ExecEvent, execEvents, execResult } from './exec.ts';
import { Execution } from './execution.ts';
import { byteStream } from './wire/byte-stream.ts';
import type { Caller, CallOptions } from './wire/caller.ts';

export interface ExecuteOptions extends CallOptions {
  /** The same key and request again, within 24 hours, attach to the same execution. Made for you unless given. */
  idempotencyKey?: string;
}

export interface BinaryResult {
  stdout: ReadableStream<Uint8Array>;
  /** null: it was killed. undefined: stdout is over 1 MiB, and this platform does not tell what came after it. */
  exitCode: number | null | undefined;
  timedOut: boolean | undefined;
}

/** A program and its arguments, or those with all else that may be said. */
export type Command = string[] | ExecRequest;

/** A sandbox of this name. Making one of these asks nothing of the service: the conversation's first use does. */
export class Conversation {
  readonly id: string;
  readonly files: ConversationFiles;
  readonly terminals: ConversationTerminals;
  readonly #caller: Caller;

  constructor(caller: Caller, id: string) {
    this.#caller = caller;
    this.id = id;
    this.files = new ConversationFiles(caller, id);
    this.terminals = new ConversationTerminals(caller, id);
  }

  /** Runs an agent, or a script, when the execution is first read. */
  execute(request: ExecuteRequest, { signal, idempotencyKey }: ExecuteOptions = {}): Execution {
    const origin = { request: structuredClone(request), idempotencyKey: idempotencyKey ?? freshKey() };
    return new Execution(this.#caller, this.id, origin, signal);
  }

  /** An execution that runs, or ran, from the event after this number on. */
  attach(executionId: string, { after = 0, signal }: CallOptions & { after?: number } = {}): Execution {
    return new Execution(this.#caller, this.id, { executionId, after }, signal);
  }

  /** The latest first. */
  async executions({ limit, signal }: CallOptions & { limit?: number } = {}): Promise<ExecutionRecord[]> {
    const { executions } = await this.#caller.json('GET /v1/conversations/{id}/executions', {
      params: { id: this.id },
      query: { limit },
      signal,
    });
    return executions;
  }

  execution(executionId: string, options: CallOptions = {}): Promise<ExecutionRecord> {
    const params = { id: this.id, execution_id: executionId };
    return this.#caller.json('GET /v1/conversations/{id}/executions/{execution_id}', { params, ...options });
  }

  /** Runs a command, once. The signal ends it. */
  exec(command: Command, options: CallOptions = {}): Promise<ExecResult> {
    return execResult(this.execStream(command, options));
  }

  /** The same, as its output comes. Who stops reading ends the command. */
  execStream(command: Command, options: CallOptions = {}): AsyncGenerator<ExecEvent, void, undefined> {
    return execEvents(this.#caller, this.id, requestOf(command), options);
  }

  /** The same, with the bytes of stdout. */
  async execBinary(command: Command, options: CallOptions = {}): Promise<BinaryResult> {
    const answer = await this.#caller.answer('POST /v1/conversations/{id}/exec/binary', {
      params: { id: this.id },
      json: requestOf(command),
      ...options,
    });
    const { headers } = answer;
    const [code, timedOut] = [headers.get('x-exit-code'), headers.get('x-timed-out')];
    return {
      stdout: byteStream(answer, options.signal),
      exitCode: timedOut === null ? undefined : code === null ? null : Number(code),
      timedOut: timedOut === null ? undefined : timedOut === 'true',
    };
  }

  /** What it lets out in its own way; given something, sets that. */
  egress(change?: EgressRequest, options: CallOptions = {}): Promise<Egress> {
    const params = { id: this.id };
    if (change === undefined)
      return this.#caller.json('GET /v1/conversations/{id}/egress', { params, ...options });
    return this.#caller.json('PUT /v1/conversations/{id}/egress', { params, json: change, ...options });
  }

  get(options: CallOptions = {}): Promise<ConversationRecord> {
    return this.#caller.json('GET /v1/conversations/{id}', { params: { id: this.id }, ...options });
  }

  /** Its files are saved first, and stay; with `purge` they go too. */
  async delete({ purge = false, signal }: CallOptions & { purge?: boolean } = {}): Promise<void> {
    await this.#caller.remove('DELETE /v1/conversations/{id}', {
      params: { id: this.id },
      query: purge ? { purge: 'true' } : {},
      signal,
    });
  }
}

function requestOf(command: Command): ExecRequest {
  return Array.isArray(command) ? { cmd: command } : command;
}

/** Not `randomUUID`: pages that came over plain HTTP have none. */
function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
