import type { AssignRequest } from '../../../runtime/contracts/agent-protocol.ts';
import { Problem } from './problem.ts';

/** Whom this sandbox belongs to: told once, never changed. */
export class Assignment {
  #given: AssignRequest | undefined;

  get ticket(): string | null {
    return this.#given?.ticket ?? null;
  }

  get env(): Record<string, string> {
    return this.#given?.env ?? {};
  }

  /** Takes the first ticket, and the same one again; refuses any other. */
  assign(request: AssignRequest): void {
    this.#given ??= request;
    if (this.#given.ticket !== request.ticket) {
      throw new Problem('ALREADY_ASSIGNED', 'this sandbox already has another ticket');
    }
  }
}
