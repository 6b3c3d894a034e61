import type { EmulatorClock } from '../emulator-clock.ts';
import { watchHealth } from './health-check.ts';
import type { Task } from './task.ts';
import { type BackedTask, type ContainerExit, type ContainerPlan, StartFailure } from './task-backing.ts';
import type { TaskContainer } from './task-state.ts';

export interface ContainerAround {
  readonly task: Task;
  readonly clock: EmulatorClock;
  /** Aborted when the whole emulator ends. */
  readonly closing: AbortSignal;
}

const STOP_TIMEOUT_SECONDS = 30;

/** One container of a task, from before its start to its end. */
export class ContainerRun {
  readonly plan: ContainerPlan;
  readonly state: TaskContainer;
  readonly #around: ContainerAround;
  readonly #started = Promise.withResolvers<void>();
  readonly #healthy = Promise.withResolvers<void>();
  readonly #exited = Promise.withResolvers<ContainerExit>();
  readonly #over = new AbortController();
  #backed: BackedTask | undefined;
  #runs = false;

  constructor(plan: ContainerPlan, state: TaskContainer, around: ContainerAround) {
    this.plan = plan;
    this.state = state;
    this.#around = around;
  }

  /** Resolves at its end, if it has been started. */
  get exited(): Promise<ContainerExit> {
    return this.#exited.promise;
  }

  get runs(): boolean {
    return this.#runs;
  }

  async start(backed: BackedTask, added: Readonly<Record<string, string>>): Promise<void> {
    const environment = { ...this.plan.environment, ...added };
    const { runtimeId, exit } = await backed.start({ ...this.plan, environment });
    this.#backed = backed;
    this.#runs = true;
    this.state.runtimeId = runtimeId;
    this.state.status = 'RUNNING';
    this.#around.task.changed();
    this.#started.resolve();
    void exit.then((ended) => this.#end(ended));
    const { healthCheck } = this.plan.definition;
    if (healthCheck !== undefined) void this.#watch(backed, healthCheck);
  }

  /** Resolves when the condition of another container's `dependsOn` holds; throws when it no longer can. */
  async reached(condition: 'START' | 'COMPLETE' | 'SUCCESS' | 'HEALTHY'): Promise<void> {
    if (condition === 'START') return this.#started.promise;
    if (condition === 'HEALTHY') return this.#healthy.promise;
    const { code } = await this.#exited.promise;
    if (condition === 'SUCCESS' && code !== 0) {
      throw new StartFailure(
        `dependency graph: container ${this.plan.name} exited with ${code} instead of 0`,
        this.plan.name,
      );
    }
  }

  /** SIGTERM, and SIGKILL once the stop timeout has passed. Resolves when it has ended. */
  async stop(): Promise<void> {
    if (!this.#runs || this.#backed === undefined) return;
    const { clock, closing } = this.#around;
    const { stopTimeout = STOP_TIMEOUT_SECONDS } = this.plan.definition;
    await this.#backed.signal(this.plan.name, closing.aborted ? 'SIGKILL' : 'SIGTERM');
    const patience = AbortSignal.any([closing, this.#over.signal]);
    await Promise.race([this.#exited.promise, clock.sleep(stopTimeout * 1000, patience)]);
    if (this.#runs) await this.#backed.signal(this.plan.name, 'SIGKILL');
    await this.#exited.promise;
  }

  /** Of one that never came to run. */
  neverStarted(reason?: string): void {
    if (this.state.status !== 'PENDING') return;
    this.state.status = 'STOPPED';
    if (reason !== undefined) this.state.reason = reason;
  }

  #end(ended: ContainerExit): void {
    this.#runs = false;
    this.#over.abort();
    this.state.status = 'STOPPED';
    this.state.exitCode = ended.code;
    if (ended.reason !== undefined) this.state.reason = ended.reason;
    this.#around.task.changed();
    this.#exited.resolve(ended);
  }

  #watch(backed: BackedTask, check: NonNullable<ContainerPlan['definition']['healthCheck']>): Promise<void> {
    return watchHealth(check, {
      clock: this.#around.clock,
      signal: AbortSignal.any([this.#over.signal, this.#around.closing]),
      check: (command, withinMs) => backed.check(this.plan.name, command, withinMs),
      onHealth: (health) => {
        if (health === 'HEALTHY') this.#healthy.resolve();
        if (this.state.health === health) return;
        this.state.health = health;
        this.#around.task.changed();
      },
    });
  }
}
