import { AccessControl, type AccessOptions } from './access/access-control.ts';
import { Arns } from './api/arns.ts';
import { AwsJsonServer } from './api/aws-json-server.ts';
import { CallLog } from './api/call-log.ts';
import { Faults } from './api/faults.ts';
import { DOCUMENTED_RATES, RateLimits, type Rates } from './api/rate-limits.ts';
import { ClientTokens } from './client-tokens.ts';
import { ClusterStore } from './cluster-store.ts';
import { AccessPointStore } from './efs/access-point-store.ts';
import { EmulatorClock } from './emulator-clock.ts';
import { LogStreams } from './logs/log-streams.ts';
import { ServiceStore } from './services/service-store.ts';
import { TaskDefinitionStore } from './task-definition-store.ts';
import type { Task } from './tasks/task.ts';
import {
  type AddedEnvironment,
  type BackingFactory,
  StartFailure,
  type TaskBacking,
} from './tasks/task-backing.ts';
import { NO_DELAYS, type TaskDelays } from './tasks/task-delays.ts';
import { TaskLauncher } from './tasks/task-launcher.ts';
import type { TaskRun } from './tasks/task-run.ts';
import type { StopCode } from './tasks/task-status.ts';
import { TaskStore } from './tasks/task-store.ts';
import type { Lag, World } from './world.ts';

export interface EmulatorOptions {
  /** What tasks run on: `dockerBacking(…)` or `stubBacking(…)`. */
  readonly backing: BackingFactory;
  /** How many times as fast as the wall's the emulator's clock runs; 1 unless said. */
  readonly speed?: number;
  /** None unless said; `FARGATE_DELAYS` for a cold start like Fargate's. */
  readonly delays?: Partial<TaskDelays>;
  /** How old lists and descriptions are; 0 unless said. */
  readonly lag?: Partial<Lag>;
  /** The documented ones unless said; `{}` for none. */
  readonly rates?: Rates;
  readonly region?: string;
  readonly accountId?: string;
  /** Made at the start, with the capacity providers FARGATE and FARGATE_SPOT. */
  readonly clusters?: readonly string[];
  readonly logGroups?: readonly string[];
  /** The only ones that exist; where someone else makes them, looked up with each call. */
  readonly subnets?: readonly string[] | (() => readonly string[]);
  readonly securityGroups?: readonly string[] | (() => readonly string[]);
  /** Of EFS: the only ones that exist. */
  readonly fileSystems?: readonly string[] | (() => readonly string[]);
  /** Who may what; unless said, everyone everything. */
  readonly access?: AccessOptions;
  /** Without it, a task with secrets or a role does not start. */
  readonly addedEnvironment?: AddedEnvironment;
  readonly host?: string;
  readonly port?: number;
  /** Told of every change of a task. */
  readonly onTask?: (task: Task) => void;
}

/** The longest lag there can be: it may be set while tasks run. */
const KEEP_VIEWS_MS = 600_000;

/** An ECS and a CloudWatch Logs for the real SDK to speak to, whose tasks run. */
export class EcsEmulator implements AsyncDisposable {
  readonly clock: EmulatorClock;
  readonly calls = new CallLog();
  readonly faults: Faults;
  readonly region: string;
  /** What EFS has. */
  readonly accessPoints: AccessPointStore;
  readonly #fileSystems: () => readonly string[];
  readonly #world: World;
  readonly #backing: TaskBacking;
  readonly #server: AwsJsonServer;
  readonly #closing = new AbortController();
  #url = '';

  static async start(options: EmulatorOptions): Promise<EcsEmulator> {
    const backing = await options.backing();
    try {
      const emulator = new EcsEmulator(options, backing);
      emulator.#url = await emulator.#server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
      return emulator;
    } catch (error) {
      await backing[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(options: EmulatorOptions, backing: TaskBacking) {
    this.clock = new EmulatorClock(options.speed);
    this.faults = new Faults(this.clock);
    this.region = options.region ?? 'us-east-1';
    const { subnets = ['subnet-0be27a0000000001a', 'subnet-0be27a0000000001b'] } = options;
    const { securityGroups = ['sg-0be27a00000000001'], onTask } = options;
    const { fileSystems = ['fs-0be27a00000000001'] } = options;
    this.#backing = backing;
    const arns = new Arns(this.region, options.accountId ?? '123456789012');
    const lag = { describeMs: 0, listMs: 0, ...options.lag };
    const logs = new LogStreams(this.clock, options.logGroups ?? ['/ecs/workspace-agent']);
    const tasks = new TaskStore(arns, this.clock);
    this.#fileSystems = typeof fileSystems === 'function' ? fileSystems : () => fileSystems;
    this.accessPoints = new AccessPointStore(this.#fileSystems, arns, this.clock);
    const launcher = new TaskLauncher(
      {
        arns,
        clock: this.clock,
        delays: { ...NO_DELAYS, ...options.delays },
        backing,
        logs,
        closing: this.#closing.signal,
        keepViewsMs: KEEP_VIEWS_MS,
        accessPoints: this.accessPoints,
        addedEnvironment: options.addedEnvironment ?? nothingToAdd,
        onChange: (task) => {
          onTask?.(task);
          this.#world?.services.taskChanged(task);
        },
      },
      tasks,
    );
    this.#world = {
      arns,
      clock: this.clock,
      limits: new RateLimits(this.clock, options.rates ?? DOCUMENTED_RATES),
      clusters: new ClusterStore(arns),
      taskDefinitions: new TaskDefinitionStore(arns),
      tasks,
      launcher,
      clientTokens: new ClientTokens(this.clock),
      logs,
      subnets: typeof subnets === 'function' ? subnets : () => subnets,
      securityGroups: typeof securityGroups === 'function' ? securityGroups : () => securityGroups,
      services: new ServiceStore(arns),
      accessPoints: this.accessPoints,
      lag,
    };
    for (const name of options.clusters ?? []) {
      this.#world.clusters.create(name, { capacityProviders: ['FARGATE', 'FARGATE_SPOT'] });
    }
    this.#server = new AwsJsonServer(this.#world, this.calls, this.faults, new AccessControl(options.access));
  }

  get url(): string {
    return this.#url;
  }

  get subnets(): readonly string[] {
    return this.#world.subnets();
  }

  get securityGroups(): readonly string[] {
    return this.#world.securityGroups();
  }

  get fileSystems(): readonly string[] {
    return this.#fileSystems();
  }

  /** What makes the SDK of a process speak to this emulator. */
  get env(): Record<string, string> {
    return {
      AWS_ENDPOINT_URL_ECS: this.url,
      AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: this.url,
      AWS_ENDPOINT_URL_EFS: this.url,
      AWS_REGION: this.region,
      AWS_ACCESS_KEY_ID: 'emulator',
      AWS_SECRET_ACCESS_KEY: 'not-checked',
    };
  }

  /** Every task that is still told of, as it is now: no lag. */
  get tasks(): readonly Task[] {
    return this.#world.tasks.all();
  }

  /** How old lists and descriptions are from now on. */
  setLag(lag: Partial<Lag>): void {
    this.#world.lag = { ...this.#world.lag, ...lag };
  }

  /** How slow the tasks are that are started from now on. */
  setDelays(delays: Partial<TaskDelays>): void {
    this.#world.launcher.delays = { ...this.#world.launcher.delays, ...delays };
  }

  /** Lists don't have it for so long by the emulator's clock; descriptions do. */
  hideFromLists(taskArn: string, ms: number): void {
    this.#run(taskArn).task.hiddenUntil = this.clock.now() + ms;
  }

  /** The next tasks stay without an address in PROVISIONING; with `runs`, they run but their address is not told. */
  withholdAddress({ times = 1, runs = false }: { times?: number; runs?: boolean } = {}): void {
    this.#world.launcher.withhold(runs ? 'unseen' : 'never', times);
  }

  /** From now on a task gets the address of the last one that stopped, where there is one. */
  reuseAddresses(reuse = true): void {
    this.#backing.addresses.reuse = reuse;
  }

  stopFromOutside(taskArn: string, cause: { stopCode?: StopCode; reason?: string } = {}): void {
    const { stopCode = 'SpotInterruption', reason = 'Your Spot Task was interrupted.' } = cause;
    this.#run(taskArn).stop({ stopCode, reason });
  }

  /** SIGKILL, as if it had crashed. */
  killContainer(taskArn: string, container: string): Promise<void> {
    return this.#run(taskArn).kill(container);
  }

  #run(taskArn: string): TaskRun {
    const run = this.#world.tasks.run(taskArn);
    if (run === undefined) throw new Error(`The emulator has no task ${taskArn}.`);
    return run;
  }

  /** Ends every task and removes all that it made. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#world.services.close();
    this.#closing.abort();
    try {
      await this.#server[Symbol.asyncDispose]();
      await this.#world.launcher.settled();
    } finally {
      await this.#backing[Symbol.asyncDispose]();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const nothingToAdd: AddedEnvironment = async ({ taskRoleArn }, { definition }) => {
  if (taskRoleArn === undefined && (definition.secrets ?? []).length === 0) return {};
  throw new StartFailure(
    'ResourceInitializationError: unable to pull secrets or registry auth: this emulator was given neither secrets nor credentials.',
  );
};
