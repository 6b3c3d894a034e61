import { AwsError } from './api/aws-error.ts';
import type { EmulatorClock } from './emulator-clock.ts';
import type { Task } from './tasks/task.ts';

interface Use {
  /** All parameters but the token, in one canonical form. */
  readonly parameters: string;
  readonly tasks: readonly Task[];
  readonly until: number;
}

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

/** RunTask's idempotency: a token stands for one request in one cluster, for 24 hours or an hour past its tasks. */
export class ClientTokens {
  readonly #clock: EmulatorClock;
  readonly #uses = new Map<string, Use>();

  constructor(clock: EmulatorClock) {
    this.#clock = clock;
  }

  /** The tasks that the same request has started; throws `ConflictException` where it was another request. */
  earlier(cluster: string, token: string, parameters: unknown): readonly Task[] | undefined {
    const key = `${cluster} ${token}`;
    const use = this.#uses.get(key);
    if (use === undefined) return undefined;
    if (this.#isOver(use)) {
      this.#uses.delete(key);
      return undefined;
    }
    if (use.parameters === canonical(parameters)) return use.tasks;
    throw new AwsError(
      'ConflictException',
      'The provided clientToken is already in use with a different RunTask request.',
      400,
      { resourceIds: use.tasks.map(({ arn }) => arn) },
    );
  }

  /** A request that started nothing may be repeated. */
  note(cluster: string, token: string, parameters: unknown, tasks: readonly Task[]): void {
    if (tasks.length === 0) return;
    this.#uses.set(`${cluster} ${token}`, {
      parameters: canonical(parameters),
      tasks,
      until: this.#clock.now() + DAY_MS,
    });
  }

  #isOver({ until, tasks }: Use): boolean {
    const now = this.#clock.now();
    return (
      now > until || tasks.every(({ stoppedAt }) => stoppedAt !== undefined && now > stoppedAt + HOUR_MS)
    );
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
