import { hash } from 'node:crypto';
import type { ContainerOverride, KeyValuePair, RunTaskCommandInput } from '@aws-sdk/client-ecs';
import type { ContainerId } from '../../contracts/ids.ts';
import { APP_PROXY_PORT, appEnvironment } from '../app-environment.ts';
import type { ContainerSpec } from '../container-backend.ts';

/** The containers of a task definition that we run: of conversations, … */
export const AGENT_CONTAINER = 'workspace-agent';
export const PROXY_CONTAINER = 'proxy-sidecar';
/** … and of workspaces, beside the same proxy. */
export const APP_CONTAINER = 'workspace-app';
export const HELPER_CONTAINER = 'volume-helper';

const STARTED_BY = 'berth/';
const AGENT_PROXY_PORT = 8080;

export interface TaskSettings {
  subnets: readonly string[];
  securityGroups: readonly string[];
  /** None: Fargate. */
  capacityProvider: string | undefined;
  agentPort: number;
  proxyAdminPort: number;
}

export type TaskInput = Omit<RunTaskCommandInput, 'cluster'>;

/** The name that a task is found by without anyone remembering it. */
export function startedBy(id: ContainerId): string {
  return STARTED_BY + id;
}

export function idIn(name: string): string {
  return name.startsWith(STARTED_BY) ? name.slice(STARTED_BY.length) : '';
}

/**
 * One container as a task. The token comes from the id alone, and nothing else from the time or from who asks, so that
 * asking again is the same request, and the same task; `instead` names what came of an earlier token, where that is
 * over and can't come back.
 */
export function runTaskInput(
  spec: ContainerSpec,
  taskDefinition: string,
  labels: Record<string, string>,
  settings: TaskSettings,
  instead: string,
): TaskInput {
  return {
    ...taskFrame(spec, labels, settings, instead),
    taskDefinition,
    overrides: {
      containerOverrides: [
        spec.app === undefined ? agentOverride(spec, settings) : appOverride(spec, spec.app.port),
        {
          name: PROXY_CONTAINER,
          environment: pairs({
            ...spec.proxyEnv,
            CONTAINER_ID: spec.id,
            PROXY_LISTEN_PORT: String(spec.app === undefined ? AGENT_PROXY_PORT : APP_PROXY_PORT),
            ADMIN_PORT: String(settings.proxyAdminPort),
          }),
        },
      ],
    },
  };
}

/** What is the same of every container's task, whatever runs in it. */
export function taskFrame(
  { id }: Pick<ContainerSpec, 'id'>,
  labels: Record<string, string>,
  settings: TaskSettings,
  instead: string,
): Omit<TaskInput, 'taskDefinition' | 'overrides'> {
  return {
    ...placed(settings),
    clientToken: hash('sha256', `${id} ${instead}`),
    startedBy: startedBy(id),
    tags: Object.entries(labels).map(([key, value]) => ({ key, value })),
  };
}

/** One task, wherever tasks go. */
export function taskInput(taskDefinition: string, settings: TaskSettings): TaskInput {
  return { taskDefinition, ...placed(settings) };
}

function placed({
  capacityProvider,
  subnets,
  securityGroups,
}: TaskSettings): Omit<TaskInput, 'taskDefinition'> {
  return {
    count: 1,
    ...(capacityProvider === undefined
      ? { launchType: 'FARGATE' }
      : { capacityProviderStrategy: [{ capacityProvider, weight: 1 }] }),
    networkConfiguration: {
      awsvpcConfiguration: {
        subnets: [...subnets],
        securityGroups: [...securityGroups],
        assignPublicIp: 'DISABLED',
      },
    },
  };
}

function agentOverride({ env }: ContainerSpec, { agentPort }: TaskSettings): ContainerOverride {
  const environment = pairs({
    ...env,
    AGENT_LISTEN_MODE: 'http',
    AGENT_HTTP_PORT: String(agentPort),
    AGENT_PROXY_PORT: String(AGENT_PROXY_PORT),
  });
  return { name: AGENT_CONTAINER, environment };
}

/** It is dialled at its task's address, not on loopback. */
function appOverride({ env }: ContainerSpec, port: number): ContainerOverride {
  const everywhere = { HOST: '0.0.0.0', ...env };
  const environment = pairs(appEnvironment(everywhere, { port, proxyPort: APP_PROXY_PORT }));
  return { name: APP_CONTAINER, environment };
}

export function pairs(env: Record<string, string>): KeyValuePair[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}
