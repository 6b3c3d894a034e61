import type { EmulatorClock } from '../emulator-clock.ts';
import { type ContainerPlan, type LogLine, StartFailure, type TaskPlan } from '../tasks/task-backing.ts';

export interface LogEvent {
  readonly timestamp: number;
  readonly message: string;
  readonly ingestionTime: number;
}

interface Stream {
  readonly taskId: string;
  readonly createdAt: number;
  read: () => Promise<readonly LogLine[]>;
}

/** The log groups, and in them a stream for each container that has been started: `prefix/container/task id`. */
export class LogStreams {
  readonly #clock: EmulatorClock;
  readonly #groups = new Map<string, Map<string, Stream>>();

  constructor(clock: EmulatorClock, groups: readonly string[]) {
    this.#clock = clock;
    for (const group of groups) this.#groups.set(group, new Map());
  }

  /** False: it is there already. */
  createGroup(name: string): boolean {
    if (this.#groups.has(name)) return false;
    this.#groups.set(name, new Map());
    return true;
  }

  /** False: there is none. */
  deleteGroup(name: string): boolean {
    return this.#groups.delete(name);
  }

  hasGroup(name: string): boolean {
    return this.#groups.has(name);
  }

  /** Throws `StartFailure` where the container's log group does not exist. */
  open(task: TaskPlan, { name, definition }: ContainerPlan, read: Stream['read']): void {
    const options = definition.logConfiguration?.options;
    if (options === undefined) return;
    const group = options['awslogs-group'];
    if (options['awslogs-create-group'] === 'true') this.createGroup(group);
    const streams = this.#groups.get(group);
    if (streams === undefined) {
      throw new StartFailure(
        'ResourceInitializationError: failed to validate logger args: create stream has been retried 1 times: failed to create Cloudwatch log stream: ResourceNotFoundException: The specified log group does not exist.',
      );
    }
    const stream = `${options['awslogs-stream-prefix']}/${name}/${task.taskId}`;
    streams.set(stream, { taskId: task.taskId, createdAt: this.#clock.now(), read });
  }

  /** Takes the lines of a task's containers over, before the containers go. */
  async keep(taskId: string): Promise<void> {
    const streams = [...this.#groups.values()].flatMap((group) => [...group.values()]);
    await Promise.all(
      streams
        .filter((stream) => stream.taskId === taskId)
        .map(async (stream) => {
          const lines = await stream.read().catch(() => []);
          stream.read = async () => lines;
        }),
    );
  }

  /** By name, with when they were made; undefined: there is no such group. */
  list(group: string): { name: string; createdAt: number }[] | undefined {
    const streams = this.#groups.get(group);
    if (streams === undefined) return undefined;
    return [...streams]
      .map(([name, { createdAt }]) => ({ name, createdAt }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Undefined: there is no such stream. */
  async events(group: string, stream: string): Promise<LogEvent[] | undefined> {
    const found = this.#groups.get(group)?.get(stream);
    if (found === undefined) return undefined;
    return (await found.read()).map(({ at, text }) => {
      const timestamp = Math.round(this.#clock.fromWall(at));
      return { timestamp, message: text, ingestionTime: timestamp };
    });
  }
}
