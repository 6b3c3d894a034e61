import type { Terminal, TerminalRequest } from './api.ts';
import { AttachedTerminal } from './attached-terminal.ts';
import type { Caller, CallOptions } from './wire/caller.ts';

export interface AttachOptions extends CallOptions {
  /** How many bytes of its output you have. What is kept of the rest comes first; all that is kept, unless given. */
  after?: number;
}

/** A conversation's terminals. Each lives in its container, with or without anybody who looks at it. */
export class ConversationTerminals {
  readonly #caller: Caller;
  readonly #id: string;

  constructor(caller: Caller, id: string) {
    this.#caller = caller;
    this.#id = id;
  }

  /** A shell, unless it says otherwise. */
  create(request: TerminalRequest = {}, options: CallOptions = {}): Promise<Terminal> {
    const params = { id: this.#id };
    return this.#caller.json('POST /v1/conversations/{id}/terminals', { params, json: request, ...options });
  }

  /** Those that have exited, too, for some minutes. */
  async list(options: CallOptions = {}): Promise<Terminal[]> {
    const params = { id: this.#id };
    return (await this.#caller.json('GET /v1/conversations/{id}/terminals', { params, ...options }))
      .terminals;
  }

  /** Ends its command and all that was started there. */
  async end(terminalId: string, options: CallOptions = {}): Promise<void> {
    await this.#caller.remove('DELETE /v1/conversations/{id}/terminals/{terminal_id}', {
      params: { id: this.#id, terminal_id: terminalId },
      ...options,
    });
  }

  /** Looks at it: connects when it is read. */
  attach(terminalId: string, { after = 0, signal }: AttachOptions = {}): AttachedTerminal {
    const which = { conversation: this.#id, terminal: terminalId, after };
    return new AttachedTerminal(this.#caller, which, signal);
  }
}
