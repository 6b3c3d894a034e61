import type { Cluster } from '../cluster-store.ts';
import type { TaskDefinition } from '../task-definition-store.ts';
import type { Task } from '../tasks/task.ts';

export interface ServiceIdentity {
  readonly name: string;
  readonly arn: string;
  readonly cluster: Cluster;
}

/** Starts and stops tasks for a service. Throws what RunTask would. */
export interface ServiceTasks {
  launch(definition: TaskDefinition): Task;
  stop(task: Task): void;
}

/** After so many tasks that ended by themselves or were not well, the circuit breaker gives a deployment up. */
const MOST_FAILED = 3;

/** A service: so many tasks of a definition, brought back when they end, replaced when there is another definition. */
export class Service {
  readonly identity: ServiceIdentity;
  definition: TaskDefinition;
  desiredCount: number;
  rollout: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' = 'IN_PROGRESS';
  /** Why the last task of this deployment went. */
  lastFailure: string | undefined;
  readonly #tasks: ServiceTasks;
  readonly #own = new Set<Task>();
  #failed = 0;
  #deleted = false;

  constructor(
    identity: ServiceIdentity,
    deployed: { definition: TaskDefinition; desiredCount: number },
    tasks: ServiceTasks,
  ) {
    this.identity = identity;
    this.definition = deployed.definition;
    this.desiredCount = deployed.desiredCount;
    this.#tasks = tasks;
    this.#fill();
  }

  get status(): 'ACTIVE' | 'DRAINING' | 'INACTIVE' {
    if (!this.#deleted) return 'ACTIVE';
    return this.#own.size > 0 ? 'DRAINING' : 'INACTIVE';
  }

  count(status: 'RUNNING' | 'PENDING'): number {
    const running = [...this.#own].filter((task) => task.status === 'RUNNING').length;
    return status === 'RUNNING' ? running : this.#own.size - running;
  }

  deploy(definition: TaskDefinition, desiredCount: number): void {
    this.definition = definition;
    this.desiredCount = desiredCount;
    this.rollout = 'IN_PROGRESS';
    this.#failed = 0;
    this.#settle();
  }

  delete(): void {
    this.#deleted = true;
    for (const task of this.#own) this.#tasks.stop(task);
  }

  taskChanged(task: Task): void {
    if (!this.#own.has(task)) return;
    if (task.health === 'UNHEALTHY' && task.stop === undefined) {
      this.#fail(task, 'Task failed container health checks');
      this.#tasks.stop(task); // which changes it
      return;
    }
    if (task.status === 'STOPPED') {
      this.#own.delete(task);
      if (task.stop?.stopCode !== 'ServiceSchedulerInitiated') this.#fail(task, task.stop?.reason);
    }
    this.#settle();
  }

  #fail(task: Task, reason: string | undefined): void {
    if (!this.#isCurrent(task)) return;
    this.lastFailure = reason;
    this.#failed += 1;
    if (this.#failed >= MOST_FAILED) this.rollout = 'FAILED';
  }

  #settle(): void {
    if (this.#deleted || this.rollout === 'FAILED') return;
    this.#fill();
    const current = this.#current();
    if (current.filter(isWell).length < this.desiredCount) return;
    this.rollout = 'COMPLETED';
    const surplus = current.slice(this.desiredCount);
    const earlier = [...this.#own].filter((task) => !this.#isCurrent(task));
    for (const task of [...earlier, ...surplus]) if (task.stop === undefined) this.#tasks.stop(task);
  }

  /** Those of before go on meanwhile. */
  #fill(): void {
    while (this.#current().length < this.desiredCount) this.#own.add(this.#tasks.launch(this.definition));
  }

  #current(): Task[] {
    return [...this.#own].filter((task) => this.#isCurrent(task) && task.stop === undefined);
  }

  #isCurrent(task: Task): boolean {
    return task.identity.definition === this.definition;
  }
}

/** It runs, and where it is asked how it is, it is well. */
function isWell({ status, health, identity }: Task): boolean {
  const asked = identity.definition.containerDefinitions.some(({ healthCheck }) => healthCheck !== undefined);
  return status === 'RUNNING' && (health === 'HEALTHY' || !asked);
}
