import type { ContainerDefinition } from '@aws-sdk/client-ecs';
import { BerthError } from '../../contracts/errors.ts';
import type { FunctionTask } from '../../contracts/function-task.ts';
import { APP_PROXY_PORT, appEnvironment } from '../app-environment.ts';
import type { AppSpec, ContainerSpec } from '../container-backend.ts';
import type { DefinitionApi } from './definition-api.ts';
import { healthAnswers } from './health-answers.ts';
import { portAccepts } from './port-accepts.ts';
import { PROXY_CONTAINER, pairs, type TaskSettings, taskFrame } from './task-input.ts';
import type { LogPlace, TaskKind } from './task-kind.ts';

const VARIABLE = 'ECS_FUNCTION_TASK_DEFINITIONS';

/** What we have to know of a task definition that is the operator's own. */
interface Shape {
  /** Its first essential container. */
  main: string;
  /** Whether our egress proxy is beside it. */
  hasProxy: boolean;
  log: LogPlace | undefined;
}

export type WorkerSpec = ContainerSpec & { role: 'function'; app: AppSpec };

/** Workers of functions as tasks, of those definitions that the operator has named. */
export class FunctionTasks {
  readonly #tasks: ReadonlyMap<string, FunctionTask>;
  readonly #api: Pick<DefinitionApi, 'find'>;
  readonly #settings: TaskSettings;
  /** Of revisions, which never change. */
  readonly #shapes = new Map<string, Shape>();

  constructor(tasks: readonly FunctionTask[], api: Pick<DefinitionApi, 'find'>, settings: TaskSettings) {
    this.#tasks = new Map(tasks.map((task) => [task.name, task]));
    this.#api = api;
    this.#settings = settings;
  }

  find(name: string): FunctionTask | undefined {
    return this.#tasks.get(name);
  }

  /** Throws `IMAGE_PULL_FAILED`, and `CONTAINER_CREATE_FAILED` for another port than the operator's. */
  async kindOf(spec: WorkerSpec, labels: Record<string, string>): Promise<TaskKind> {
    const { name, taskDefinition, port } = this.#named(spec.image);
    if (spec.app.port !== port)
      throw new BerthError(
        'CONTAINER_CREATE_FAILED',
        `${name} listens on ${port} and not on ${spec.app.port}: ${VARIABLE} says so`,
      );
    const { main, hasProxy, log } = await this.#shapeOf(taskDefinition);
    const { proxyAdminPort } = this.#settings;
    const env = hasProxy
      ? appEnvironment(spec.env, { port, proxyPort: APP_PROXY_PORT })
      : { ...spec.env, PORT: String(port) };
    const proxyEnv = {
      ...spec.proxyEnv,
      CONTAINER_ID: spec.id,
      PROXY_LISTEN_PORT: String(APP_PROXY_PORT),
      ADMIN_PORT: String(proxyAdminPort),
    };
    return {
      input: (instead) => ({
        ...taskFrame(spec, labels, this.#settings, instead),
        taskDefinition,
        overrides: {
          containerOverrides: [
            { name: main, environment: pairs(env) },
            ...(hasProxy ? [{ name: PROXY_CONTAINER, environment: pairs(proxyEnv) }] : []),
          ],
        },
      }),
      async answers(address, signal) {
        const proxy = hasProxy ? healthAnswers(address, proxyAdminPort, signal) : undefined;
        await Promise.all([portAccepts(address, port, signal), proxy]);
      },
      unanswered: `nothing listens on its port ${port}${hasProxy ? ', or its proxy does not answer,' : ''}`,
      variable: VARIABLE,
      log,
      mayEnd: false,
    };
  }

  /** Where the tasks of a definition print. */
  async logOf(taskDefinition: string): Promise<LogPlace | undefined> {
    return (await this.#shapeOf(taskDefinition)).log;
  }

  #named(name: string): FunctionTask {
    const task = this.#tasks.get(name);
    if (task !== undefined) return task;
    const known = this.#tasks.size === 0 ? 'names none' : `names only ${[...this.#tasks.keys()].join(', ')}`;
    const detail = `no function may run ${name}: ${VARIABLE} ${known}`;
    throw new BerthError('IMAGE_PULL_FAILED', detail, { final: true });
  }

  async #shapeOf(taskDefinition: string): Promise<Shape> {
    const known = this.#shapes.get(taskDefinition);
    if (known !== undefined) return known;
    const found = (await this.#api.find(taskDefinition))?.definition;
    const main = found?.containerDefinitions?.find(({ essential = true }) => essential);
    if (found === undefined || main?.name === undefined)
      throw new BerthError(
        'IMAGE_PULL_FAILED',
        `there is no task definition ${taskDefinition} (${VARIABLE})`,
      );
    const hasProxy = found.containerDefinitions?.some(({ name }) => name === PROXY_CONTAINER) ?? false;
    const shape = { main: main.name, hasProxy, log: logOf(main) };
    if (found.taskDefinitionArn === taskDefinition) this.#shapes.set(taskDefinition, shape);
    return shape;
  }
}

function logOf({ name, logConfiguration }: ContainerDefinition): LogPlace | undefined {
  const { 'awslogs-group': group, 'awslogs-stream-prefix': prefix } = logConfiguration?.options ?? {};
  const isCloudWatch = logConfiguration?.logDriver === 'awslogs';
  if (!isCloudWatch || group === undefined || prefix === undefined) return undefined;
  return { group, prefix: `${prefix}/${name}` };
}

export function isWorkerSpec(spec: ContainerSpec): spec is WorkerSpec {
  return spec.role === 'function' && spec.app !== undefined;
}
