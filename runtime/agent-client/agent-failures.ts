import { BerthError } from '../contracts/errors.ts';

/** No answer from the agent: it is gone, or was never there. */
export class AgentUnreachable extends Error {
  /** Whether the request may have arrived. False: it provably did not. */
  readonly mayHaveArrived: boolean;

  constructor(mayHaveArrived: boolean, cause: unknown) {
    super(`the agent does not answer: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'AgentUnreachable';
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** The agent ran this execution, and no longer has its events. */
export class ExecutionForgotten extends BerthError {
  constructor(message: string) {
    super('EXECUTION_NOT_FOUND', message);
    this.name = 'ExecutionForgotten';
  }
}

/** The agent is of a version that can't do this. */
export class RouteMissing extends BerthError {
  constructor(message: string) {
    super('INTERNAL', message);
    this.name = 'RouteMissing';
  }
}

/** The agent's answer breaks its bounds or its form: whatever answers there is no agent of ours. */
export class AgentMisbehaved extends Error {
  constructor(what: string, cause?: unknown) {
    super(`the agent's answer is not valid: ${what}`, { cause });
    this.name = 'AgentMisbehaved';
  }
}
