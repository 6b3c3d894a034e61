import { randomBytes, randomInt } from 'node:crypto';
import { AddressPool } from '../address-pool.ts';
import {
  type BackedTask,
  type BackingFactory,
  type ContainerExit,
  type ContainerPlan,
  type LogLine,
  type StartedContainer,
  StartFailure,
  type TaskBacking,
  type TaskPlan,
} from '../tasks/task-backing.ts';

/** What a stand-in for a container gets to start with. */
export interface StubContainer {
  readonly taskArn: string;
  readonly container: string;
  /** On loopback, the task's own. */
  readonly address: string;
  /** The task definition's, with the overrides of RunTask. */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes a line to the container's log. */
  log(line: string): void;
  /** Ends the container by itself. */
  exit(code: number): void;
}

export interface StubOptions {
  /** Called for each container of a task; undefined: it stands for nothing, and only "runs". */
  startAgent(container: StubContainer): Promise<AsyncDisposable | undefined> | AsyncDisposable | undefined;
  /** Answers for the containers' health checks; true unless said. */
  isHealthy?(container: { taskArn: string; container: string }): boolean;
}

/** Tasks without containers: each is a loopback address with what `startAgent` starts there. */
export function stubBacking(options: StubOptions): BackingFactory {
  return async () => {
    // Two emulators of a machine use the same ports: apart by their addresses.
    const addresses = new AddressPool(`127.${randomInt(16, 240)}.0.1`, 65_000, randomInt(65_000));
    const open = new Set<StubTask>();
    const backing: TaskBacking = {
      addresses,
      async open(plan) {
        const address = addresses.take();
        if (address === undefined) throw new StartFailure('RESOURCE:ENI: no address is left.');
        const task = new StubTask(plan, address, options, () => {
          open.delete(task);
          addresses.release(address);
        });
        open.add(task);
        return task;
      },
      async [Symbol.asyncDispose]() {
        await Promise.all([...open].map((task) => task.remove()));
      },
    };
    return backing;
  };
}

interface Running {
  readonly end: (exit: ContainerExit) => Promise<void>;
}

class StubTask implements BackedTask {
  readonly address: string;
  readonly #plan: TaskPlan;
  readonly #options: StubOptions;
  readonly #onRemoved: () => void;
  readonly #running = new Map<string, Running>();
  readonly #logs = new Map<string, LogLine[]>();

  constructor(plan: TaskPlan, address: string, options: StubOptions, onRemoved: () => void) {
    this.#plan = plan;
    this.address = address;
    this.#options = options;
    this.#onRemoved = onRemoved;
  }

  async start({ name, environment }: ContainerPlan): Promise<StartedContainer> {
    const { promise: exit, resolve } = Promise.withResolvers<ContainerExit>();
    const lines: LogLine[] = [];
    this.#logs.set(name, lines);
    let agent: AsyncDisposable | undefined;
    const end = async (ended: ContainerExit): Promise<void> => {
      if (!this.#running.delete(name)) return;
      try {
        await agent?.[Symbol.asyncDispose]();
      } finally {
        resolve(ended);
      }
    };
    this.#running.set(name, { end });
    try {
      agent = await this.#options.startAgent({
        taskArn: this.#plan.taskArn,
        container: name,
        address: this.address,
        environment,
        log: (text) => void lines.push({ at: Date.now(), text }),
        exit: (code) => void end({ code }),
      });
    } catch (error) {
      this.#running.delete(name);
      throw new StartFailure(`CannotStartContainerError: ${error}`, name);
    }
    if (!this.#running.has(name)) await agent?.[Symbol.asyncDispose]();
    return { runtimeId: `${this.#plan.taskId}-${randomBytes(5).toString('hex')}`, exit };
  }

  async check(container: string): Promise<boolean> {
    return this.#options.isHealthy?.({ taskArn: this.#plan.taskArn, container }) ?? true;
  }

  async signal(container: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#running.get(container)?.end({ code: signal === 'SIGTERM' ? 143 : 137 });
  }

  async logs(container: string): Promise<readonly LogLine[]> {
    return this.#logs.get(container) ?? [];
  }

  async remove(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ end }) => end({ code: 137 })));
    this.#onRemoved();
  }
}
