import type { Task } from '@aws-sdk/client-ecs';

const TOGETHER_MS = 10;
const MOST_AT_ONCE = 100;

interface Asked {
  arn: string;
  resolve(task: Task | undefined): void;
  reject(error: unknown): void;
}

/** Descriptions asked for at about the same time, in one call. */
export class DescribedTogether {
  readonly #describe: (arns: string[]) => Promise<Task[]>;
  #asked: Asked[] = [];

  constructor(describe: (arns: string[]) => Promise<Task[]>) {
    this.#describe = describe;
  }

  /** Undefined: ECS does not show it. */
  describe(arn: string): Promise<Task | undefined> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ arn, resolve, reject });
      if (this.#asked.length === 1) setTimeout(() => this.#send(), TOGETHER_MS);
      if (this.#asked.length === MOST_AT_ONCE) this.#send();
    });
  }

  #send(): void {
    const batch = this.#asked.splice(0);
    if (batch.length === 0) return;
    this.#describe([...new Set(batch.map(({ arn }) => arn))]).then(
      (tasks) => {
        for (const { arn, resolve } of batch) resolve(tasks.find(({ taskArn }) => taskArn === arn));
      },
      (error) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }
}
