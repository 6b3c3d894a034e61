import type { ServerResponse } from 'node:http';
import type { Agent } from '../agent.ts';
import type { Command, CommandOutcome, StreamName } from '../exec/command.ts';
import { Problem } from '../problem.ts';
import { Audience } from './audience.ts';
import type { EventLog } from './event-log.ts';
import type { Execution } from './execution.ts';
import { failure, type LastEvent, lastEvent, type Runner } from './runner.ts';

interface ExecutionParts {
  agent: Agent;
  id: string;
  timeoutSeconds: number;
  log: EventLog;
  runner: Runner;
  command: Command;
}

/** An execution done by a program. It ends when that has ended, so that the next one finds the sandbox to itself. */
export class RunnerExecution implements Execution {
  readonly ended: Promise<void>;
  readonly #parts: ExecutionParts;
  readonly #audience: Audience;
  #state: 'running' | 'cancelled' | 'ended' = 'running';
  #leaving: NodeJS.Timeout | undefined;

  constructor(parts: ExecutionParts) {
    this.#parts = parts;
    this.#audience = new Audience(parts.log, () => parts.command.resume());
    this.ended = this.#run();
  }

  get id(): string {
    return this.#parts.id;
  }

  get bytes(): number {
    return this.#parts.log.bytes;
  }

  attach(res: ServerResponse, after: number): void {
    const { last } = this.#parts.log;
    if (after > last) throw new Problem('INVALID_REQUEST', `after must be at most ${last}, the last event`);
    this.#audience.attach(res, after);
  }

  cancel(): 'cancelling' | 'ended' {
    if (this.#state === 'ended') return 'ended';
    this.#state = 'cancelled';
    this.#parts.command.cancel();
    return 'cancelling';
  }

  forget(): void {
    this.#parts.log.shrink();
  }

  /** Takes output of the program; returns whether it may go on. */
  take(stream: StreamName, chunk: Buffer): boolean {
    const { agent, command, runner } = this.#parts;
    const wish = runner.take(stream, chunk);
    if (wish === 'leave') this.#leaving ??= setTimeout(() => command.cancel(), agent.killAfterMs);
    if (wish === 'die') command.cancel();
    return this.#audience.tell();
  }

  async #run(): Promise<void> {
    const { agent, command, log } = this.#parts;
    agent.activity.begin();
    const last = await command.outcome.then(
      (outcome) => this.#lastEvent(outcome),
      (error) => {
        console.error('agent: the execution %s failed:', this.id, error);
        return failure(`the agent failed: ${error instanceof Error ? error.message : error}`);
      },
    );
    clearTimeout(this.#leaving);
    this.#state = 'ended';
    log.close(last.type, last.data);
    agent.activity.end();
    this.#audience.tell();
  }

  #lastEvent(outcome: CommandOutcome): LastEvent {
    const { runner, timeoutSeconds } = this.#parts;
    const { said } = runner;
    const own = runner.ended(outcome);
    if (said) return said;
    if (this.#state === 'cancelled') {
      const message = 'the execution was cancelled';
      return lastEvent({ type: 'error', error_type: 'cancelled', message, recoverable: true });
    }
    if (outcome.timedOut) {
      const message = `the execution took longer than ${timeoutSeconds} seconds`;
      return lastEvent({ type: 'error', error_type: 'timeout_error', message, recoverable: true });
    }
    return own;
  }
}
