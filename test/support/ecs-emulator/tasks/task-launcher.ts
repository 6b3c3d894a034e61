import { randomBytes, randomUUID } from 'node:crypto';
import type { Arns } from '../api/arns.ts';
import type { RunTaskRequest } from '../api/run-task-shape.ts';
import type { Cluster } from '../cluster-store.ts';
import type { AccessPointStore } from '../efs/access-point-store.ts';
import type { TaskDefinition } from '../task-definition-store.ts';
import { Task } from './task.ts';
import type { ContainerPlan, TaskPlan } from './task-backing.ts';
import type { TaskDelays } from './task-delays.ts';
import { type AddressFate, type RunAround, TaskRun } from './task-run.ts';
import type { TaskContainer } from './task-state.ts';
import type { TaskStore } from './task-store.ts';

/** A task as RunTask has checked it. */
export interface Launch {
  readonly cluster: Cluster;
  readonly definition: TaskDefinition;
  readonly launchType: 'FARGATE' | 'EC2';
  readonly capacityProvider: string | undefined;
  readonly subnet: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly request: RunTaskRequest;
}

export interface LauncherAround extends Omit<RunAround, 'address'> {
  readonly arns: Arns;
  readonly keepViewsMs: number;
  readonly accessPoints: Pick<AccessPointStore, 'mounted'>;
  readonly onChange: (task: Task) => void;
}

/** Makes tasks and sets them going. */
export class TaskLauncher {
  /** Of the tasks that are launched from now on. */
  delays: TaskDelays;
  readonly #around: LauncherAround;
  readonly #store: TaskStore;
  readonly #runs = new Set<Promise<void>>();
  readonly #problems: unknown[] = [];
  #withheld: { fate: AddressFate; left: number } | undefined;

  constructor(around: LauncherAround, store: TaskStore) {
    this.#around = around;
    this.delays = around.delays;
    this.#store = store;
  }

  /** The next so many tasks don't get an address, or don't show it. */
  withhold(fate: AddressFate, times: number): void {
    this.#withheld = { fate, left: times };
  }

  launch(launch: Launch): Task {
    const { arns, clock, keepViewsMs, onChange } = this.#around;
    const { cluster, definition, request } = launch;
    const id = randomBytes(16).toString('hex');
    const plan = taskPlan(id, arns.task(cluster.name, id), launch, this.#around.accessPoints);
    const task = new Task(
      {
        id,
        arn: plan.taskArn,
        clusterArn: cluster.arn,
        definition,
        createdAt: clock.now(),
        group: request.group ?? `family:${definition.family}`,
        startedBy: request.startedBy,
        launchType: launch.launchType,
        capacityProvider: launch.capacityProvider,
        overrides: { containerOverrides: [], inferenceAcceleratorOverrides: [], ...request.overrides },
        subnet: launch.subnet,
        zone: `${arns.region}a`,
      },
      {
        containers: plan.containers.map((container) =>
          taskContainer(arns.container(cluster.name, id, randomUUID()), container),
        ),
        tags: new Map(launch.tags),
        attachment: {
          id: randomUUID(),
          status: 'PRECREATED',
          networkInterfaceId: `eni-${randomBytes(9).toString('hex').slice(1)}`,
        },
      },
      { clock, keepViewsMs, onChange },
    );
    this.#go(new TaskRun(task, plan, { ...this.#around, delays: this.delays, address: this.#addressFate() }));
    return task;
  }

  /** Resolves when every task has stopped; throws what the emulator could not do for one. */
  async settled(): Promise<void> {
    await Promise.all(this.#runs);
    if (this.#problems.length > 0) throw new AggregateError(this.#problems, 'Some tasks could not be ended.');
  }

  #go(run: TaskRun): void {
    this.#store.add(run);
    const over = run
      .run()
      .catch((error: unknown) => void this.#problems.push(error))
      .finally(() => this.#runs.delete(over));
    this.#runs.add(over);
  }

  #addressFate(): AddressFate {
    if (this.#withheld === undefined) return 'given';
    this.#withheld.left -= 1;
    const { fate, left } = this.#withheld;
    if (left <= 0) this.#withheld = undefined;
    return fate;
  }
}

function taskPlan(
  taskId: string,
  taskArn: string,
  { definition, request }: Launch,
  accessPoints: LauncherAround['accessPoints'],
): TaskPlan {
  return {
    taskId,
    taskArn,
    cpuUnits: definition.cpuUnits,
    memoryMiB: definition.memoryMiB,
    volumes: definition.volumes ?? [],
    accessPoint: (fileSystem, point) => accessPoints.mounted(fileSystem, point),
    executionRoleArn: definition.executionRoleArn,
    taskRoleArn: definition.taskRoleArn,
    containers: definition.containerDefinitions.map((container): ContainerPlan => {
      const override = request.overrides?.containerOverrides?.find(({ name }) => name === container.name);
      const variables = [...(container.environment ?? []), ...(override?.environment ?? [])];
      return {
        name: container.name,
        definition: container,
        environment: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
        command: override?.command ?? container.command,
        memoryMiB: override?.memory ?? container.memory,
      };
    }),
  };
}

function taskContainer(arn: string, { name, definition, memoryMiB }: ContainerPlan): TaskContainer {
  return {
    arn,
    name,
    image: definition.image,
    essential: definition.essential,
    cpu: `${definition.cpu ?? 0}`,
    memory: memoryMiB === undefined ? undefined : `${memoryMiB}`,
    status: 'PENDING',
    health: 'UNKNOWN',
  };
}
