import { hash } from 'node:crypto';
import type { KeyValuePair, RunTaskCommandInput } from '@aws-sdk/client-ecs';
import type { ContainerId } from '../../contracts/ids.ts';
import type { ContainerSpec } from '../container-backend.ts';

/** The containers of a task definition that we run. */
export const AGENT_CONTAINER = 'workspace-agent';
export const PROXY_CONTAINER = 'proxy-sidecar';

const STARTED_BY = 'berth/';
const PROXY_PORT = 8080;

export interface TaskSettings {
  subnets: readonly string[];
  securityGroups: readonly string[];
  /** None: Fargate. */
  capacityProvider: string | undefined;
  agentPort: number;
  proxyAdminPort: number;
}

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
  labels: Record<string, string>,
  settings: TaskSettings,
  instead: string,
): Omit<RunTaskCommandInput, 'cluster'> {
  const { agentPort, proxyAdminPort } = settings;
  return {
    ...taskFrame(spec, labels, settings, instead),
    taskDefinition: spec.image,
    overrides: {
      containerOverrides: [
        {
          name: AGENT_CONTAINER,
          environment: pairs({
            ...spec.env,
            AGENT_LISTEN_MODE: 'http',
            AGENT_HTTP_PORT: String(agentPort),
            AGENT_PROXY_PORT: String(PROXY_PORT),
          }),
        },
        {
          name: PROXY_CONTAINER,
          environment: pairs({
            ...spec.proxyEnv,
            CONTAINER_ID: spec.id,
            PROXY_LISTEN_PORT: String(PROXY_PORT),
            ADMIN_PORT: String(proxyAdminPort),
          }),
        },
      ],
    },
  };
}

/** What is the same of every task, whatever runs in it. */
export function taskFrame(
  { id }: Pick<ContainerSpec, 'id'>,
  labels: Record<string, string>,
  { capacityProvider, subnets, securityGroups }: TaskSettings,
  instead: string,
): Omit<RunTaskCommandInput, 'cluster' | 'taskDefinition' | 'overrides'> {
  return {
    count: 1,
    clientToken: hash('sha256', `${id} ${instead}`),
    startedBy: startedBy(id),
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
    tags: Object.entries(labels).map(([key, value]) => ({ key, value })),
  };
}

export function pairs(env: Record<string, string>): KeyValuePair[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}
