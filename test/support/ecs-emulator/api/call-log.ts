export interface Call {
  readonly operation: string;
  /** Milliseconds since 1970 by the emulator's clock. */
  readonly at: number;
  /** As it came, or undefined where it could not be read. */
  readonly input: unknown;
  /** Of the answer; undefined while there is none, and where the connection was cut. */
  status?: number;
  /** The code of the error that was answered. */
  error?: string;
}

/** Every call that came, in order. */
export class CallLog {
  readonly #calls: Call[] = [];

  get all(): readonly Call[] {
    return this.#calls;
  }

  of(operation: string): Call[] {
    return this.#calls.filter((call) => call.operation === operation);
  }

  count(operation: string): number {
    return this.of(operation).length;
  }

  /** By operation. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { operation } of this.#calls) counts[operation] = (counts[operation] ?? 0) + 1;
    return counts;
  }

  clear(): void {
    this.#calls.length = 0;
  }

  add(call: Call): Call {
    this.#calls.push(call);
    return call;
  }
}
