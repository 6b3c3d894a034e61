import { type Arns, shortName } from '../api/arns.ts';
import { invalidParameter } from '../api/aws-error.ts';
import type { Cluster } from '../cluster-store.ts';
import type { EmulatorClock } from '../emulator-clock.ts';
import type { Task } from './task.ts';
import type { TaskRun } from './task-run.ts';

const STOPPED_VISIBLE_MS = 3_600_000;

/** Every task that ECS still tells of: stopped ones for an hour. */
export class TaskStore {
  readonly #arns: Arns;
  readonly #clock: EmulatorClock;
  readonly #runs = new Map<string, TaskRun>();

  constructor(arns: Arns, clock: EmulatorClock) {
    this.#arns = arns;
    this.#clock = clock;
  }

  add(run: TaskRun): void {
    this.#runs.set(run.task.arn, run);
  }

  /** By ARN. */
  run(arn: string): TaskRun | undefined {
    this.#forget();
    return this.#runs.get(arn);
  }

  /** Of the cluster, oldest first. */
  of(cluster: Cluster): Task[] {
    return this.all().filter(({ identity }) => identity.clusterArn === cluster.arn);
  }

  all(): Task[] {
    this.#forget();
    return [...this.#runs.values()].map(({ task }) => task);
  }

  runs(): TaskRun[] {
    return [...this.#runs.values()];
  }

  /** The ARN that a task id or ARN stands for; throws where it is of another cluster, or is neither. */
  arnOf(cluster: Cluster, idOrArn: string): string {
    const parts = shortName('task', idOrArn).split('/');
    const id = parts.at(-1) ?? '';
    const [of] = parts.length === 2 ? parts : [cluster.name];
    if (of !== cluster.name) {
      throw invalidParameter(`Identifier is for cluster ${of}. Your cluster is ${cluster.name}`);
    }
    if (!/^[0-9a-f-]+$/.test(id) || (id.length !== 32 && id.length !== 36)) {
      throw invalidParameter('taskId length should be one of [32,36]');
    }
    return this.#arns.task(cluster.name, id);
  }

  #forget(): void {
    const before = this.#clock.now() - STOPPED_VISIBLE_MS;
    for (const [arn, { task }] of this.#runs) {
      if (task.stoppedAt !== undefined && task.stoppedAt < before) this.#runs.delete(arn);
    }
  }
}
