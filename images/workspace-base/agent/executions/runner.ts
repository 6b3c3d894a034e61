import type { ExecutionEnd } from '../../../../runtime/contracts/agent-protocol.ts';
import type { CommandOutcome, StreamName } from '../exec/command.ts';

/** The last event of an execution. */
export interface LastEvent {
  type: ExecutionEnd['type'];
  /** The event as JSON. */
  data: string | Buffer;
}

/** What a runner's program is to do next; `leave` gives it a moment to end by itself. */
export type Wish = 'go on' | 'leave' | 'die';

/** Makes events of what the program says that does an execution. */
export interface Runner {
  /** The last event, when the program has said it or made it impossible to go on. */
  readonly said: LastEvent | undefined;
  /** Takes output, which is only lent. */
  take(stream: StreamName, chunk: Buffer): Wish;
  /** Takes what was left unsaid when the program ended; the last event if it ended by itself. */
  ended(outcome: CommandOutcome): LastEvent;
}

export function lastEvent(event: ExecutionEnd): LastEvent {
  return { type: event.type, data: JSON.stringify(event) };
}

export function failure(message: string): LastEvent {
  return lastEvent({ type: 'error', error_type: 'execution_error', message, recoverable: false });
}
