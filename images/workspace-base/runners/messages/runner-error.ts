import type { ExecutionEnd } from '../../../../runtime/contracts/agent-protocol.ts';

/** Why an execution can't go on, as its last event tells it. */
export class RunnerError extends Error {
  readonly #type: 'execution_error' | 'context_limit_exceeded';
  readonly #recoverable: boolean;

  /** `recoverable`: the same request may well do later. */
  constructor(type: 'execution_error' | 'context_limit_exceeded', message: string, recoverable = false) {
    super(message);
    this.#type = type;
    this.#recoverable = recoverable;
  }

  get event(): ExecutionEnd {
    const { message } = this;
    return { type: 'error', error_type: this.#type, message, recoverable: this.#recoverable };
  }
}
