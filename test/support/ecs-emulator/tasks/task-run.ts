import type { EmulatorClock } from '../emulator-clock.ts';
import type { LogStreams } from '../logs/log-streams.ts';
import { ContainerRun } from './container-run.ts';
import type { Task } from './task.ts';
import {
  type AddedEnvironment,
  type BackedTask,
  StartFailure,
  type TaskBacking,
  type TaskPlan,
} from './task-backing.ts';
import { type Delay, pickDelay, type TaskDelays } from './task-delays.ts';
import type { StopCause, TaskStatus } from './task-status.ts';

/** `never`: it waits in PROVISIONING for good. `unseen`: it runs, but no description tells its address. */
export type AddressFate = 'given' | 'never' | 'unseen';

export interface RunAround {
  readonly clock: EmulatorClock;
  readonly delays: TaskDelays;
  readonly backing: TaskBacking;
  readonly logs: LogStreams;
  /** Aborted when the whole emulator ends. */
  readonly closing: AbortSignal;
  readonly address: AddressFate;
  readonly addedEnvironment: AddedEnvironment;
}

/** It is being stopped before it has started. */
class Interrupted extends Error {}

/** Leads a task through its statuses, from PROVISIONING to STOPPED. */
export class TaskRun {
  readonly task: Task;
  readonly #plan: TaskPlan;
  readonly #around: RunAround;
  readonly #containers: readonly ContainerRun[];
  readonly #stopping = new AbortController();
  #backed: BackedTask | undefined;

  constructor(task: Task, plan: TaskPlan, around: RunAround) {
    this.task = task;
    this.#plan = plan;
    this.#around = around;
    this.#containers = plan.containers.map((container, index) => {
      const state = task.containers[index];
      if (state === undefined) throw new Error(`The task has no container ${container.name}.`);
      return new ContainerRun(container, state, { task, clock: around.clock, closing: around.closing });
    });
  }

  /** The first cause counts; a later one changes nothing. */
  stop(cause: StopCause): void {
    if (this.task.stop !== undefined) return;
    this.task.stop = cause;
    this.task.stoppingAt = this.#around.clock.now();
    this.task.changed();
    this.#stopping.abort();
  }

  /** Kills one container as if it had crashed. */
  async kill(container: string): Promise<void> {
    const run = this.#containers.find(({ plan }) => plan.name === container);
    if (run?.runs !== true) throw new Error(`No container ${container} runs in ${this.task.arn}.`);
    await this.#backed?.signal(container, 'SIGKILL');
  }

  /** Resolves when it is STOPPED. */
  async run(): Promise<void> {
    try {
      await this.#start();
      await this.#pause(Number.POSITIVE_INFINITY);
    } catch (error) {
      this.#fail(error);
    }
    await this.#end();
  }

  #fail(error: unknown): void {
    if (error instanceof Interrupted) return;
    const reason = error instanceof StartFailure ? error.message : `InternalError: ${error}`;
    if (error instanceof StartFailure) {
      this.#containers.find(({ plan }) => plan.name === error.container)?.neverStarted(reason);
    }
    this.stop({ stopCode: 'TaskFailedToStart', reason });
  }

  async #start(): Promise<void> {
    const { clock, delays, backing, address } = this.#around;
    await this.#pause(delays.provisioning);
    if (address === 'never') await this.#pause(Number.POSITIVE_INFINITY);
    this.#backed = await backing.open(this.#plan);
    this.#interrupt();
    if (address === 'given') this.task.attachment.address = this.#backed.address;
    this.task.attachment.status = 'ATTACHED';
    this.task.pullStartedAt = clock.now();
    this.#enter('PENDING');
    await this.#pause(delays.pending);
    this.task.pullStoppedAt = clock.now();
    const backed = this.#backed;
    // All of them, so that none is still starting when one that failed brings the task down.
    await Promise.all(
      this.#containers.map((container) =>
        this.#startContainer(container, backed).catch((error: unknown) => this.#fail(error)),
      ),
    );
    this.#interrupt();
    this.#enter('ACTIVATING');
    await this.#pause(delays.activating);
    this.task.startedAt = clock.now();
    this.#enter('RUNNING');
  }

  async #startContainer(container: ContainerRun, backed: BackedTask): Promise<void> {
    const { name, definition } = container.plan;
    for (const { containerName, condition } of definition.dependsOn ?? []) {
      const other = this.#containers.find(({ plan }) => plan.name === containerName);
      if (other === undefined) continue;
      const { startTimeout } = other.plan.definition;
      const late = this.#pause(startTimeout === undefined ? Number.POSITIVE_INFINITY : startTimeout * 1000);
      const tooLate = late.then(() => {
        const within = `${containerName} has not reached ${condition} within ${startTimeout} s`;
        throw new StartFailure(`dependency graph: container ${within}`, name);
      });
      await Promise.race([other.reached(condition), tooLate]);
    }
    this.#interrupt();
    this.#around.logs.open(this.#plan, container.plan, () => backed.logs(name));
    await container.start(backed, await this.#around.addedEnvironment(this.#plan, container.plan));
    void container.exited.then(() => {
      if (!definition.essential) return;
      this.stop({ stopCode: 'EssentialContainerExited', reason: 'Essential container in task exited' });
    });
    this.#interrupt();
  }

  async #end(): Promise<void> {
    const { clock, closing, delays } = this.#around;
    const linger = (delay: Delay): Promise<void> => clock.sleep(pickDelay(delay), closing);
    if (this.task.status === 'RUNNING') {
      this.#enter('DEACTIVATING');
      await linger(delays.deactivating);
    }
    if (this.#containers.some(({ runs }) => runs)) {
      this.#enter('STOPPING');
      await Promise.all(this.#containers.map((container) => this.#stopContainer(container)));
      await linger(delays.stopping);
    }
    this.task.executionStoppedAt = clock.now();
    for (const container of this.#containers) container.neverStarted();
    this.#enter('DEPROVISIONING');
    await this.#around.logs.keep(this.#plan.taskId);
    await this.#backed?.remove();
    await linger(delays.deprovisioning);
    this.task.attachment.status = 'DELETED';
    this.task.stoppedAt = clock.now();
    this.#enter('STOPPED');
  }

  /** Containers end in the opposite order to that of their start. */
  async #stopContainer(container: ContainerRun): Promise<void> {
    const later = this.#containers.filter(({ plan }) =>
      plan.definition.dependsOn?.some(({ containerName }) => containerName === container.plan.name),
    );
    await Promise.all(later.filter(({ runs }) => runs).map(({ exited }) => exited));
    await container.stop();
  }

  #enter(status: TaskStatus): void {
    this.task.status = status;
    this.task.changed();
  }

  async #pause(delay: Delay): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, this.#around.closing]);
    await this.#around.clock.sleep(pickDelay(delay), signal);
    this.#interrupt();
  }

  #interrupt(): void {
    if (this.#stopping.signal.aborted || this.#around.closing.aborted) throw new Interrupted();
  }
}
