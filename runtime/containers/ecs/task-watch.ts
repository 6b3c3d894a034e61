import type { Task } from '@aws-sdk/client-ecs';
import { BerthError } from '../../contracts/errors.ts';

const MOST_AT_ONCE = 100;
/** A task stops within its stop timeout, at most 120 s, and then gives its network interface back. */
const STOP_SECONDS = 180;

/** Undefined: not yet. A task that ECS does not show, yet or any more, is `missing`. */
type Judge<T> = (task: Task | 'missing') => T | undefined;

interface Waiter {
  arn: string;
  look(task: Task | 'missing'): void;
}

/** Looks at the tasks that somebody waits for: one call at a time, however many wait. */
export class TaskWatch {
  readonly #describe: (arns: string[]) => Promise<Task[]>;
  readonly #everyMs: number;
  /** Those that were looked at last stand at the end. */
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(describe: (arns: string[]) => Promise<Task[]>, everySeconds: number) {
    this.#describe = describe;
    this.#everyMs = everySeconds * 1000;
  }

  /** What `judge` makes of the task, once it makes something of it; what it throws is thrown. */
  async until<T>(arn: string, judge: Judge<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiter: Waiter = {
      arn,
      look(task) {
        try {
          const verdict = judge(task);
          if (verdict !== undefined) resolve(verdict);
        } catch (error) {
          reject(error);
        }
      },
    };
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    this.#waiters.add(waiter);
    this.#schedule();
    try {
      return await promise;
    } finally {
      this.#waiters.delete(waiter);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** As `until`, of one that ends or was told to. Throws `BACKEND_UNAVAILABLE`, by the name of `which`, when that takes too long. */
  async untilStopped<T>(arn: string, judge: Judge<T>, which: string): Promise<T> {
    try {
      return await this.until(arn, judge, AbortSignal.timeout(STOP_SECONDS * 1000));
    } catch (error) {
      const detail = `the task ${which} has not stopped within ${STOP_SECONDS} s`;
      throw new BerthError('BACKEND_UNAVAILABLE', detail, {}, error);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiters.clear();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiters.size === 0) return;
    const now = performance.now();
    // What was begun a moment ago is not worth a look of its own.
    const at = Math.max(this.#lookedAt + this.#everyMs, now + this.#everyMs / 4);
    this.#timer = setTimeout(() => void this.#look(), at - now);
  }

  async #look(): Promise<void> {
    this.#lookedAt = performance.now();
    const batch = this.#next();
    try {
      const arns = [...new Set(batch.map(({ arn }) => arn))];
      const tasks = new Map((await this.#describe(arns)).map((task) => [task.taskArn, task]));
      for (const { arn, look } of batch) look(tasks.get(arn) ?? 'missing');
      await new Promise((resolve) => setImmediate(resolve)); // those who have what they waited for leave
    } catch {
      // An API that is away is asked again at the next turn; who waits has a deadline.
    } finally {
      this.#timer = undefined;
      this.#schedule();
    }
  }

  #next(): Waiter[] {
    const batch = [...this.#waiters].slice(0, MOST_AT_ONCE);
    for (const waiter of batch) {
      this.#waiters.delete(waiter);
      this.#waiters.add(waiter);
    }
    return batch;
  }
}
