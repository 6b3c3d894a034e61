import type { AddressPool } from '../address-pool.ts';
import type { ContainerDefinition, Volume } from '../api/task-definition-shape.ts';

/** A container of a task: its definition with the overrides of RunTask applied. */
export interface ContainerPlan {
  readonly name: string;
  readonly definition: ContainerDefinition;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[] | undefined;
  readonly memoryMiB: number | undefined;
}

export interface TaskPlan {
  readonly taskId: string;
  readonly taskArn: string;
  readonly cpuUnits: number;
  readonly memoryMiB: number;
  readonly containers: readonly ContainerPlan[];
  /** What ECS itself starts it with, and what its programs are to AWS. */
  readonly executionRoleArn: string | undefined;
  readonly taskRoleArn: string | undefined;
  readonly volumes: readonly Volume[];
  /** What an access point of EFS leads to, now. Throws `StartFailure`. */
  readonly accessPoint: (fileSystem: string, id: string) => MountedAccessPoint;
}

/** As EFS has it, as far as files are concerned. */
export interface MountedAccessPoint {
  readonly PosixUser?: { readonly Uid: number; readonly Gid: number } | undefined;
  readonly RootDirectory: {
    readonly Path: string;
    readonly CreationInfo?:
      | { readonly OwnerUid: number; readonly OwnerGid: number; readonly Permissions: string }
      | undefined;
  };
}

export interface ContainerExit {
  readonly code: number;
  /** Beyond the code, where there is more to say. */
  readonly reason?: string;
}

export interface StartedContainer {
  readonly runtimeId: string;
  readonly exit: Promise<ContainerExit>;
}

export interface LogLine {
  /** Milliseconds since 1970 by the wall's clock. */
  readonly at: number;
  readonly text: string;
}

/** Why a task could not start, in the words that ECS has for it. */
export class StartFailure extends Error {
  /** The container that it is about, or undefined where it is about the whole task. */
  readonly container: string | undefined;

  constructor(message: string, container?: string) {
    super(message);
    this.container = container;
  }
}

/** What a container's environment gets beyond its definition: values of its secrets, credentials of its task's role. */
export type AddedEnvironment = (
  task: TaskPlan,
  container: ContainerPlan,
) => Promise<Readonly<Record<string, string>>>;

/** One task where it runs. */
export interface BackedTask {
  readonly address: string;
  /** Throws `StartFailure`. */
  start(container: ContainerPlan): Promise<StartedContainer>;
  /** Runs a health check's command in the container; false when it fails or takes longer. */
  check(container: string, command: readonly string[], withinMs: number): Promise<boolean>;
  signal(container: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** All that it has written so far; empty once the task is removed. */
  logs(container: string): Promise<readonly LogLine[]>;
  /** Ends what still runs and gives the address back. */
  remove(): Promise<void>;
}

/** What tasks run on. */
export interface TaskBacking extends AsyncDisposable {
  readonly addresses: AddressPool;
  /** Gives the task its network. Throws `StartFailure`. */
  open(plan: TaskPlan): Promise<BackedTask>;
}

/** Made by the caller, opened by the emulator. */
export type BackingFactory = () => Promise<TaskBacking>;
