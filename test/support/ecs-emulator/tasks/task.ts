import type { EmulatorClock } from '../emulator-clock.ts';
import { PastViews } from './past-views.ts';
import type { NetworkAttachment, TaskContainer, TaskIdentity, TaskState } from './task-state.ts';
import type { HealthStatus, StopCause, TaskStatus } from './task-status.ts';
import { type WireTask, wireTask } from './wire-task.ts';

/** A task as ECS knows it. Whoever changes it says so by `changed`. */
export class Task implements TaskState {
  readonly identity: TaskIdentity;
  readonly containers: readonly TaskContainer[];
  readonly tags: Map<string, string>;
  readonly attachment: NetworkAttachment;
  status: TaskStatus = 'PROVISIONING';
  stop: StopCause | undefined;
  version = 0;
  pullStartedAt?: number;
  pullStoppedAt?: number;
  startedAt?: number;
  stoppingAt?: number;
  executionStoppedAt?: number;
  stoppedAt?: number;
  /** Lists leave it out until then. */
  hiddenUntil = 0;
  readonly #clock: EmulatorClock;
  readonly #views: PastViews<WireTask>;
  readonly #onChange: (task: Task) => void;

  constructor(
    identity: TaskIdentity,
    parts: { containers: readonly TaskContainer[]; tags: Map<string, string>; attachment: NetworkAttachment },
    around: { clock: EmulatorClock; keepViewsMs: number; onChange: (task: Task) => void },
  ) {
    this.identity = identity;
    this.containers = parts.containers;
    this.tags = parts.tags;
    this.attachment = parts.attachment;
    this.#clock = around.clock;
    this.#views = new PastViews(around.keepViewsMs);
    this.#onChange = around.onChange;
    this.changed();
  }

  get arn(): string {
    return this.identity.arn;
  }

  get desiredStatus(): 'RUNNING' | 'STOPPED' {
    return this.stop === undefined ? 'RUNNING' : 'STOPPED';
  }

  /** Of all essential containers together. */
  get health(): HealthStatus {
    const essential = this.containers.filter((container) => container.essential);
    if (essential.some(({ health }) => health === 'UNHEALTHY')) return 'UNHEALTHY';
    return essential.every(({ health }) => health === 'HEALTHY') ? 'HEALTHY' : 'UNKNOWN';
  }

  changed(): void {
    this.version += 1;
    this.#views.add(this.#clock.now(), wireTask(this));
    this.#onChange(this);
  }

  /** What a reader sees whose view is `lagMs` old; undefined: not even that there is such a task. */
  seen(lagMs: number): WireTask | undefined {
    return this.#views.at(this.#clock.now() - lagMs);
  }
}
