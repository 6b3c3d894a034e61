import { randomBytes } from 'node:crypto';
import type { TerminalLine } from '../agent-client/terminal-line.ts';
import type { TerminalRequest, TerminalView } from '../contracts/agent-protocol.ts';
import { BerthError, isBerthError } from '../contracts/errors.ts';
import { type ContainerId, type TerminalId, terminalId, VIEWING } from '../contracts/ids.ts';
import type { ConversationStore } from '../state/conversation-store.ts';
import type { Caller } from './container-acquisition.ts';
import type { ConversationWork } from './conversation-work.ts';
import { shuttingDown } from './shutting-down.ts';

interface Parts {
  store: ConversationStore;
  work: ConversationWork;
}

/** What the agent gets to answer, which it does at once. */
const ANSWER_SECONDS = 30;

export interface Terminal extends TerminalView {
  container: ContainerId;
}

/**
 * Terminals of conversations. They live in the container, so any instance may list, attach to and end them. Whoever
 * looks at one is work in flight; one that nobody looks at is not.
 */
export class ConversationTerminals {
  readonly #parts: Parts;
  readonly #viewing = new Set<AbortController>();
  #closing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The conversation comes to be, as at any use. */
  create(
    caller: Caller,
    request: Omit<TerminalRequest, 'terminal_id'>,
    signal: AbortSignal,
  ): Promise<Terminal> {
    this.#requireOpen();
    const terminal_id = terminalId(randomBytes(12).toString('hex'));
    return this.#parts.work.run(
      caller,
      'terminal',
      ANSWER_SECONDS,
      signal,
      async (agent, until, { container }) => {
        const made = await agent.createTerminal({ ...request, terminal_id }, until);
        return { ...made, terminal_id, container };
      },
    );
  }

  async list(caller: Caller, signal: AbortSignal): Promise<Terminal[]> {
    this.#requireOpen();
    if (!(await this.#hasContainer(caller)))
      throw new BerthError('CONVERSATION_NOT_FOUND', `there is no conversation ${caller.conversation}`);
    return this.#parts.work.run(
      caller,
      'terminal',
      ANSWER_SECONDS,
      signal,
      async (agent, until, { container }) =>
        (await agent.listTerminals(until)).map((view) => ({ ...view, container })),
    );
  }

  async end(caller: Caller, terminal: TerminalId, signal: AbortSignal): Promise<void> {
    this.#requireOpen();
    await this.#requireContainer(caller, terminal);
    await this.#parts.work.run(caller, 'terminal', ANSWER_SECONDS, signal, (agent, until) =>
      agent.endTerminal(terminal, until),
    );
  }

  /** `show` gets the line to the terminal; the work lasts until it returns, which it must when `until` aborts. */
  async attach(
    caller: Caller,
    terminal: TerminalId,
    after: number,
    signal: AbortSignal,
    show: (line: TerminalLine, until: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.#requireOpen();
    await this.#requireContainer(caller, terminal);
    const leaving = new AbortController();
    this.#viewing.add(leaving);
    let container: ContainerId | undefined;
    try {
      const until = AbortSignal.any([signal, leaving.signal]);
      await this.#parts.work.run(caller, VIEWING, 'open-ended', until, async (agent, until, record) => {
        container = record.container;
        await show(await agent.attachTerminal(terminal, after, until), until);
      });
    } catch (error) {
      throw isBerthError(error, 'CONTAINER_CRASHED') && (await this.#hasLost(caller, container))
        ? new BerthError('TERMINAL_NOT_FOUND', error.detail, {}, error)
        : error;
    } finally {
      this.#viewing.delete(leaving);
    }
  }

  /** Those who look are sent away, and may come back at another instance: the terminals go on. */
  close(): void {
    this.#closing = true;
    for (const leaving of this.#viewing) leaving.abort(shuttingDown());
  }

  #requireOpen(): void {
    if (this.#closing) throw shuttingDown();
  }

  /** Looking for a terminal creates no container: a new one would have none. */
  async #requireContainer(caller: Caller, terminal: TerminalId): Promise<void> {
    if (await this.#hasContainer(caller)) return;
    throw new BerthError('TERMINAL_NOT_FOUND', `there is no terminal ${terminal}`);
  }

  /** Whether this container is the conversation's no more. */
  async #hasLost({ tenant, conversation }: Caller, container: ContainerId | undefined): Promise<boolean> {
    return (await this.#parts.store.get(tenant, conversation))?.container !== container;
  }

  async #hasContainer({ tenant, conversation }: Caller): Promise<boolean> {
    return (await this.#parts.store.get(tenant, conversation)) !== undefined;
  }
}
