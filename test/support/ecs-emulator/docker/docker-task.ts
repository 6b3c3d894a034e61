import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import type {
  BackedTask,
  ContainerExit,
  ContainerPlan,
  LogLine,
  StartedContainer,
  TaskPlan,
} from '../tasks/task-backing.ts';
import { containerOptions, type Surroundings } from './container-options.ts';
import { createContainer } from './create-container.ts';
import { gone } from './leftovers.ts';
import { logLines } from './log-lines.ts';
import { startFailure } from './start-failure.ts';

export interface DockerTaskParts {
  readonly engine: Docker;
  readonly plan: TaskPlan;
  readonly address: string;
  readonly around: Surroundings;
  /** The engine's volumes that go with the task. */
  readonly volumes: readonly string[];
  readonly onRemoved: () => void;
}

/** A task of real containers that share the network of a first one, which does nothing but hold it. */
export class DockerTask implements BackedTask {
  readonly address: string;
  readonly #parts: DockerTaskParts;
  readonly #containers = new Map<string, Docker.Container>();

  constructor(parts: DockerTaskParts) {
    this.#parts = parts;
    this.address = parts.address;
  }

  async start(plan: ContainerPlan): Promise<StartedContainer> {
    const { engine, plan: task, around } = this.#parts;
    try {
      const name = `berth-ecs-${task.taskId}-${plan.name}`;
      const container = await createContainer(engine, name, containerOptions(task, plan, around));
      this.#containers.set(plan.name, container);
      await container.start();
      return { runtimeId: `${task.taskId}-${container.id.slice(0, 10)}`, exit: ended(container) };
    } catch (error) {
      throw startFailure(error, 'CannotStartContainerError', plan.name);
    }
  }

  async check(name: string, [kind, ...command]: readonly string[], withinMs: number): Promise<boolean> {
    const container = this.#containers.get(name);
    if (container === undefined) return false;
    const exec = await container.exec({
      Cmd: kind === 'CMD-SHELL' ? ['/bin/sh', '-c', command.join(' ')] : command,
      AttachStdout: true,
      AttachStderr: true,
    });
    const output: Duplex = await exec.start({});
    try {
      output.resume();
      await once(output, 'end', { signal: AbortSignal.timeout(withinMs) });
      return (await exec.inspect()).ExitCode === 0;
    } catch {
      return false;
    } finally {
      output.destroy();
    }
  }

  async signal(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    // Refused with 409 where it does not run any more.
    await this.#containers.get(name)?.kill({ signal }).catch(gone);
  }

  async logs(name: string): Promise<readonly LogLine[]> {
    const container = this.#containers.get(name);
    if (container === undefined) return [];
    return logLines(await container.logs({ stdout: true, stderr: true, timestamps: true, follow: false }));
  }

  async remove(): Promise<void> {
    const { engine, around, volumes, onRemoved } = this.#parts;
    const all = [...this.#containers.values(), engine.getContainer(around.networkOf)];
    await Promise.all(all.map((container) => container.remove({ force: true, v: true }).catch(gone)));
    this.#containers.clear();
    await Promise.all(volumes.map((volume) => engine.getVolume(volume).remove().catch(gone)));
    onRemoved();
  }
}

/** Resolves when the container ends; one that was removed counts as killed. */
async function ended(container: Docker.Container): Promise<ContainerExit> {
  try {
    const { StatusCode: code } = await container.wait();
    const { State: state } = await container.inspect();
    return state.OOMKilled
      ? { code, reason: 'OutOfMemoryError: Container killed due to memory usage' }
      : { code };
  } catch {
    return { code: 137 };
  }
}
