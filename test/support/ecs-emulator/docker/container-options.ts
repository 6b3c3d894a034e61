import type { ContainerCreateOptions } from 'dockerode';
import type { ContainerPlan, TaskPlan } from '../tasks/task-backing.ts';
import { localImage } from './local-image.ts';

export interface Surroundings {
  readonly labels: Readonly<Record<string, string>>;
  /** The container whose network it joins. */
  readonly networkOf: string;
  /** By volume name: a folder of this machine, or the engine's volume. */
  readonly sources: ReadonlyMap<string, string>;
  /** Beyond the task's own. */
  readonly binds: readonly string[];
  /** What the machine has. */
  readonly cpus: number;
}

const NANO = 1e9;
const MiB = 1024 * 1024;

/** A container of a task in the engine's words. */
export function containerOptions(
  task: TaskPlan,
  { name, definition, environment, command, memoryMiB }: ContainerPlan,
  around: Surroundings,
): ContainerCreateOptions {
  const { linuxParameters: linux, entryPoint, ulimits = [] } = definition;
  return {
    Image: localImage(definition.image),
    ...(entryPoint === undefined ? {} : { Entrypoint: entryPoint }),
    ...(command === undefined ? {} : { Cmd: [...command] }),
    ...(definition.user === undefined ? {} : { User: definition.user }),
    ...(definition.workingDirectory === undefined ? {} : { WorkingDir: definition.workingDirectory }),
    Env: Object.entries(environment).map(([variable, value]) => `${variable}=${value}`),
    Labels: { ...definition.dockerLabels, ...around.labels, 'berth.ecs-emulator.container': name },
    // ECS runs the task definition's health checks, and never an image's own.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: `container:${around.networkOf}`,
      ReadonlyRootfs: definition.readonlyRootFilesystem ?? false,
      // The engine refuses more than the machine has.
      NanoCpus: Math.round(Math.min(task.cpuUnits / 1024, around.cpus) * NANO),
      ...(definition.cpu ? { CpuShares: definition.cpu } : {}),
      Memory: (memoryMiB ?? task.memoryMiB) * MiB,
      MemorySwap: (memoryMiB ?? task.memoryMiB) * MiB,
      ...(definition.memoryReservation ? { MemoryReservation: definition.memoryReservation * MiB } : {}),
      CapAdd: linux?.capabilities?.add ?? [],
      CapDrop: linux?.capabilities?.drop ?? [],
      Init: linux?.initProcessEnabled ?? false,
      Tmpfs: Object.fromEntries(
        (linux?.tmpfs ?? []).map(({ containerPath, size, mountOptions = [] }) => [
          containerPath,
          [...mountOptions, `size=${size}m`].join(','),
        ]),
      ),
      Binds: [
        ...(definition.mountPoints ?? []).map(({ sourceVolume, containerPath, readOnly }) => {
          const source = around.sources.get(sourceVolume) ?? sourceVolume;
          return `${source}:${containerPath}:${readOnly ? 'ro' : 'rw'}`;
        }),
        ...around.binds,
      ],
      Ulimits: ulimits.map(({ name: Name, softLimit: Soft, hardLimit: Hard }) => ({ Name, Soft, Hard })),
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m' } },
      RestartPolicy: { Name: 'no' },
    },
  };
}
