import type { ServerResponse } from 'node:http';

/** One execution as its callers see it, running or ended. */
export interface Execution {
  readonly id: string;
  /** Resolves once its last event is there. */
  readonly ended: Promise<void>;
  /** How much memory its events take. */
  readonly bytes: number;
  /** Answers with the events after number `after`: those there are, then those that come. */
  attach(res: ServerResponse, after: number): void;
  /** Ends it with everything it started; returns at once. */
  cancel(): 'cancelling' | 'ended';
  /** Lets go of the events of an execution that has ended; who still reads them gets the last one. */
  forget(): void;
}
