import type { Task } from '@aws-sdk/client-ecs';
import { BerthError } from '../../contracts/errors.ts';
import type { FunctionTask } from '../../contracts/function-task.ts';
import { type ContainerId, roleOfContainer } from '../../contracts/ids.ts';
import type { Role } from '../../contracts/labels.ts';
import { Turnstile } from '../../egress/proxy/turnstile.ts';
import type { TaskStore } from '../../state/task-store.ts';
import type {
  ContainerBackend,
  ContainerSpec,
  ContainerStats,
  ContainerView,
  Endpoint,
} from '../container-backend.ts';
import { timelessLabelsFor } from '../ownership.ts';
import { asFailure, clearedUp, Turns } from '../turns.ts';
import { EcsApi } from './ecs-api.ts';
import { EcsApps, type WorkspaceSettings } from './ecs-apps.ts';
import { FunctionTasks, isWorkerSpec } from './function-tasks.ts';
import { TaskDirectory } from './task-directory.ts';
import type { TaskSettings } from './task-input.ts';
import { agentLog, agentTask, appLog, appTask, type LogPlace, streamOf, type TaskKind } from './task-kind.ts';
import { TaskLookup } from './task-lookup.ts';
import { TaskStart } from './task-start.ts';
import { hasStopped, isApp, isWorkspace, taskView } from './task-view.ts';
import { TaskWatch } from './task-watch.ts';
import type { EcsVolumes } from './volumes/ecs-volumes.ts';

export interface EcsBackendOptions extends TaskSettings {
  installation: string;
  version: string;
  cluster: string;
  logGroup: string;
  tasks: TaskStore;
  /** What functions may run. */
  functionTasks?: readonly FunctionTask[];
  /** None: there are no workspaces. */
  workspaces?: WorkspaceSettings | undefined;
  /** How many instances share what AWS lets the account call. */
  instances: number;
  /** Most RunTask calls at once. */
  runTaskConcurrency: number;
  /** How often the tasks that somebody waits for are described. */
  pollSeconds: number;
  /** How long AWS may take until a task has its address. 120 unless said. */
  addressSeconds?: number;
  /** How long from then until its agent answers. 60 unless said. */
  agentReadySeconds?: number;
}

const STOP_REASON = 'berth: no longer needed';
const isGone = (task: Task | 'missing') => task === 'missing' || hasStopped(task) || undefined;
const MAX_LOG_LINES = 10_000;
const MAX_LOG_BYTES = 1024 * 1024;

/** Containers as tasks of an ECS cluster, each with an address of its own and the egress proxy beside it. */
export class EcsBackend implements ContainerBackend {
  readonly kind = 'ecs';
  readonly capabilities = {
    pause: false,
    stats: false,
    isolates: true,
    startsSlowly: true,
    endsSlowly: true,
  };

  readonly #options: EcsBackendOptions & { addressSeconds: number; agentReadySeconds: number };
  readonly #api: EcsApi;
  readonly #watch: TaskWatch;
  readonly #directory: TaskDirectory;
  readonly #lookup: TaskLookup;
  readonly #functions: FunctionTasks;
  readonly #apps: EcsApps | undefined;
  readonly #turns = new Turns();
  readonly #runTask: Turnstile;

  constructor(options: EcsBackendOptions) {
    this.#options = { addressSeconds: 120, agentReadySeconds: 60, ...options };
    this.#api = new EcsApi(options);
    this.#watch = new TaskWatch((arns) => this.#api.describe(arns, { once: true }), options.pollSeconds);
    this.#directory = new TaskDirectory(options.tasks);
    const { installation, workspaces } = options;
    this.#lookup = new TaskLookup({ api: this.#api, directory: this.#directory, installation });
    this.#runTask = new Turnstile(options.runTaskConcurrency);
    this.#functions = new FunctionTasks(options.functionTasks ?? [], this.#api.definitions, options);
    this.#apps =
      workspaces &&
      new EcsApps(
        { api: this.#api, watch: this.#watch, isLive: (id) => this.#lookup.isLive(id) },
        this.#options,
        workspaces,
      );
  }

  get volumes(): EcsVolumes | undefined {
    return this.#apps?.volumes;
  }

  async create(spec: ContainerSpec, signal?: AbortSignal): Promise<void> {
    if (spec.role !== roleOfContainer(spec.id) || isApp(spec.id) !== (spec.app !== undefined)) {
      throw new BerthError('NOT_SUPPORTED', `the ecs backend makes no containers of role ${spec.role}`);
    }
    await this.#turns.create(spec.id, signal, async (attempt) => {
      try {
        await this.#start(spec, attempt.signal);
      } catch (error) {
        // Whoever asked for it sees to it that it is gone; here it is only told to go.
        throw await clearedUp(asFailure(error), async () => {
          await this.#tellToStop(spec.id);
          if (isWorkspace(spec.id)) await this.#apps?.forget(spec.id);
        });
      }
    });
  }

  async destroy(id: ContainerId, { engineId }: { engineId?: string } = {}): Promise<void> {
    await this.#turns.destroy(id, async () => {
      for (const arn of await this.#tellToStop(id, engineId)) {
        await this.#watch.untilStopped(arn, isGone, `of ${id}`);
        await this.#directory.forget(id, arn);
      }
      if (isWorkspace(id)) await this.#apps?.forget(id);
    });
  }

  async inspect(id: ContainerId): Promise<ContainerView | undefined> {
    const task = await this.#lookup.find(id);
    return task && taskView(task, this.#options.installation);
  }

  async list(role: Role): Promise<ContainerView[]> {
    return (await this.#lookup.list()).filter((view) => view.role === role);
  }

  async logs(id: ContainerId, { tail }: { tail: number }): Promise<string> {
    const task = await this.#lookup.find(id);
    const view = task && taskView(task, this.#options.installation);
    if (view === undefined) throw notFound(id);
    const place = await this.#logOf(view.role, task?.taskDefinitionArn ?? '');
    if (place === undefined) throw notOnEcs(`the task definition of ${id} does not log to CloudWatch`);
    const stream = streamOf(place, view.engineId);
    const lines = await this.#api.lastLines(place.group, stream, Math.min(tail, MAX_LOG_LINES));
    const text = lines.slice(-tail).map((line) => `${line}\n`);
    return text.join('').slice(-MAX_LOG_BYTES);
  }

  async pause(): Promise<void> {
    throw notOnEcs('a task cannot be paused');
  }

  async resume(): Promise<void> {
    throw notOnEcs('a task cannot be paused');
  }

  async stats(): Promise<ContainerStats> {
    throw notOnEcs('ECS does not tell what a task uses; Container Insights does');
  }

  async endpoint(
    id: ContainerId,
    port: number | 'agent' | 'proxy',
    { engineId }: { engineId?: string } = {},
  ): Promise<Endpoint> {
    if (isApp(id) && port === 'agent') throw new BerthError('NOT_SUPPORTED', `${id} has no agent to dial`);
    const { agentPort, proxyAdminPort } = this.#options;
    const host = await this.#lookup.address(id, engineId);
    if (host === undefined) throw notFound(id);
    const number = port === 'agent' ? agentPort : port === 'proxy' ? proxyAdminPort : port;
    return { kind: 'address', host, port: number };
  }

  /** Of conversations, a task definition. Images are ECS' to get. */
  async hasImage(image: string, role: Role = 'conversation'): Promise<boolean> {
    if (role === 'workspace') return true;
    const named = this.#functions.find(image)?.taskDefinition ?? image;
    return (await this.#api.definitions.has(named)) ?? true;
  }

  async pullImage(taskDefinition: string): Promise<void> {
    const named = this.#functions.find(taskDefinition)?.taskDefinition ?? taskDefinition;
    const variable = named === taskDefinition ? 'ECS_TASK_DEFINITION' : 'ECS_FUNCTION_TASK_DEFINITIONS';
    const detail = `there is no task definition ${named}: register it, or set ${variable}`;
    throw new BerthError('IMAGE_PULL_FAILED', detail);
  }

  async ping(): Promise<void> {
    await this.#api.ping();
  }

  async close(): Promise<void> {
    this.#turns.close();
    await this.#apps?.close();
    this.#watch.close();
    this.#api.close();
  }

  async #start(spec: ContainerSpec, signal: AbortSignal): Promise<void> {
    const known = await this.#directory.find(spec.id);
    const apps = isWorkspace(spec.id) ? this.#apps : undefined;
    const kind = await this.#kindOf(spec, apps);
    const start = new TaskStart(
      {
        api: this.#api,
        watch: this.#watch,
        directory: this.#directory,
        inTurn: (call) => this.#runTask.run(call),
      },
      { spec, kind },
      apps?.settings ?? this.#options,
      signal,
    );
    await start.run(known?.arn);
  }

  async #kindOf(spec: ContainerSpec, apps: EcsApps | undefined): Promise<TaskKind> {
    const labels = timelessLabelsFor(spec, this.#options);
    if (isWorkerSpec(spec)) return this.#functions.kindOf(spec, labels);
    if (spec.app === undefined) return agentTask(spec, labels, this.#options);
    if (apps === undefined) throw noWorkspaces();
    return appTask(spec, await apps.definitionOf(spec), labels, apps.settings);
  }

  #logOf(role: Role, taskDefinition: string): Promise<LogPlace | undefined> | LogPlace {
    if (role === 'function') return this.#functions.logOf(taskDefinition);
    return (role === 'workspace' ? appLog : agentLog)(this.#options.logGroup);
  }

  /** The ARNs of the tasks that stop now: of the one that is meant, or of all that there are. */
  async #tellToStop(id: ContainerId, meant?: string): Promise<string[]> {
    const arns = await this.#lookup.arns(id, meant);
    for (const arn of arns) await this.#api.stopTask(arn, STOP_REASON);
    return arns;
  }
}

function notFound(id: ContainerId): BerthError {
  return new BerthError('CONTAINER_NOT_FOUND', `there is no container ${id}`);
}

function noWorkspaces(): BerthError {
  const detail = 'there are no workspaces on ecs: set ECS_EFS_FILE_SYSTEM and ECS_WORKSPACE_TASK_DEFINITION';
  return new BerthError('NOT_SUPPORTED', detail);
}

function notOnEcs(what: string): BerthError {
  return new BerthError('NOT_SUPPORTED', `${what}; the docker backend can do this`);
}
