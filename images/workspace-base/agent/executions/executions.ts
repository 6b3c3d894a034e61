import { Problem } from '../problem.ts';
import type { Execution } from './execution.ts';

const KEPT_EXECUTIONS = 8;
const KEPT_BYTES = 8 * 1024 * 1024;
const REMEMBERED_IDS = 10_000;

/** The execution that runs, the last ones that ended, and the ids of many more: none is ever run twice. */
export class Executions {
  #current: { id: string; execution: Promise<Execution> } | undefined;
  /** Ended, the oldest first. */
  #kept: Execution[] = [];
  /** Of all that ended, the oldest first. */
  readonly #endedIds = new Set<string>();

  /** At most one. */
  get running(): string[] {
    return this.#current ? [this.#current.id] : [];
  }

  /** The execution of this id, begun by `start` if there never was one. Nothing is remembered of a failed start. */
  async run(id: string, start: () => Promise<Execution>): Promise<Execution> {
    const known = this.#known(id);
    if (known) return known;
    if (this.#current) {
      const execution_id = this.#current.id;
      throw new Problem('EXECUTION_RUNNING', `the execution ${execution_id} is running`, { execution_id });
    }
    const current = { id, execution: start() };
    this.#current = current;
    try {
      const execution = await current.execution;
      void execution.ended.then(() => this.#keep(execution));
      return execution;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  async find(id: string): Promise<Execution> {
    // One that turns out not to start never was.
    const known = await Promise.resolve(this.#known(id)).catch(() => undefined);
    if (!known) throw new Problem('EXECUTION_NOT_FOUND', 'there is no such execution');
    return known;
  }

  hasEnded(id: string): boolean {
    return this.#endedIds.has(id);
  }

  #known(id: string): Execution | Promise<Execution> | undefined {
    if (this.#current?.id === id) return this.#current.execution;
    const kept = this.#kept.find((execution) => execution.id === id);
    if (kept) return kept;
    if (!this.#endedIds.has(id)) return undefined;
    throw new Problem('EXECUTION_FORGOTTEN', 'this execution has ended, and its events are no longer kept');
  }

  #keep(ended: Execution): void {
    this.#current = undefined;
    this.#kept.push(ended);
    let bytes = this.#kept.reduce((sum, execution) => sum + execution.bytes, 0);
    while (this.#kept.length > KEPT_EXECUTIONS || bytes > KEPT_BYTES) {
      const oldest = this.#kept.shift();
      if (!oldest) break;
      bytes -= oldest.bytes;
      oldest.forget();
    }

    this.#endedIds.add(ended.id);
    const [oldestId] = this.#endedIds;
    if (this.#endedIds.size > REMEMBERED_IDS && oldestId !== undefined) this.#endedIds.delete(oldestId);
  }
}
