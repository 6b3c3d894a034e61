import type { EgressPlan } from './egress-plan.ts';

/** A security group of the platform; the endpoints' by who calls them. */
export type EndpointGroup = 'pull-endpoints' | 'control-endpoints' | 'model-endpoint' | 'instance-endpoints';
export type GroupName =
  | 'alb'
  | 'runtime'
  | 'tasks'
  | 'workspaces'
  | 'proxy'
  | 'redis'
  | 'postgres'
  | 'files'
  | EndpointGroup;

/** What is no group: the network itself, S3 by its list of prefixes, private ranges, or the internet. */
export type Surroundings = 'network' | 's3' | 'private' | 'internet';

/** One thing that may happen over the network. Nothing else may. */
export interface Flow {
  /** `clients`: whoever may call the API. */
  from: GroupName | 'network' | 'clients';
  to: GroupName | Surroundings;
  port: number;
  why: string;
}

export interface FlowSettings {
  egress: EgressPlan;
  /** Whether the egress proxy is a service apart. */
  proxyApart: boolean;
  /** Whether tasks run on instances of the operator's. */
  onInstances: boolean;
  ownNetwork: boolean;
  /** Where workers of functions listen. */
  functionPorts?: readonly number[];
}

export const RUNTIME_PORT = 7420;

/** Every flow of a platform, each once. */
export function securityFlows(settings: FlowSettings): Flow[] {
  const { egress, proxyApart, onInstances, ownNetwork, functionPorts = [] } = settings;
  const reachOut: GroupName[] = proxyApart ? ['proxy'] : ['tasks', 'workspaces'];
  const flows: Flow[] = [
    { from: 'clients', to: 'alb', port: 443, why: 'clients call the API' },
    { from: 'alb', to: 'runtime', port: RUNTIME_PORT, why: 'the load balancer passes them on' },
    { from: 'runtime', to: 'tasks', port: 9000, why: 'the runtime calls agents' },
    { from: 'runtime', to: 'tasks', port: 8081, why: 'the runtime tells sidecars their rules' },
    { from: 'runtime', to: 'workspaces', port: 8080, why: 'the runtime passes visitors on to workspaces' },
    { from: 'runtime', to: 'workspaces', port: 8081, why: 'the runtime tells sidecars their rules' },
    { from: 'runtime', to: 'workspaces', port: 9000, why: 'the runtime archives and restores homes' },
    { from: 'workspaces', to: 'files', port: 2049, why: 'workspaces have their homes on EFS' },
    ...functionPorts
      .filter((port) => port !== 9000 && port !== 8081)
      .map((port): Flow => {
        return { from: 'runtime', to: 'tasks', port, why: 'the runtime calls workers of functions' };
      }),
    { from: 'runtime', to: 'redis', port: 6379, why: 'the runtime keeps its state' },
    { from: 'runtime', to: 'postgres', port: 5432, why: 'the runtime keeps its records' },
    { from: 'runtime', to: 'control-endpoints', port: 443, why: 'the runtime runs tasks and assumes a role' },
    ...starts('runtime'),
    ...starts('tasks'),
    ...starts('workspaces'),
    ...reachOut.flatMap((from) => leaves(from, egress)),
  ];
  if (egress.assumesAbroad)
    flows.push({
      from: 'runtime',
      to: 'internet',
      port: 443,
      why: 'the role for models is of another region',
    });
  if (proxyApart)
    flows.push(
      { from: 'tasks', to: 'proxy', port: 8080, why: 'sidecars pass on to the egress proxy' },
      { from: 'workspaces', to: 'proxy', port: 8080, why: 'sidecars pass on to the egress proxy' },
      { from: 'runtime', to: 'proxy', port: 8081, why: 'the runtime tells the egress proxy its rules' },
      { from: 'proxy', to: 'control-endpoints', port: 443, why: 'its secret is fetched' },
      ...starts('proxy'),
    );
  if (onInstances && ownNetwork)
    flows.push(
      { from: 'network', to: 'instance-endpoints', port: 443, why: 'instances report to ECS' },
      { from: 'network', to: 'control-endpoints', port: 443, why: 'instances join the cluster' },
      { from: 'network', to: 'pull-endpoints', port: 443, why: 'instances pull images' },
    );
  return flows;
}

/** What egress proxies reach, wherever they are. */
function leaves(from: GroupName, { publicPorts, privatePorts, modelHost }: EgressPlan): Flow[] {
  return [
    ...publicPorts.map((port): Flow => {
      return { from, to: 'internet', port, why: 'egress proxies reach allowed hosts' };
    }),
    ...privatePorts.map((port): Flow => {
      return { from, to: 'private', port, why: 'egress proxies reach private hosts' };
    }),
    ...(modelHost === undefined
      ? []
      : [{ from, to: 'model-endpoint', port: 443, why: 'egress proxies call models' } as const]),
  ];
}

/** What a task does before its first program runs: its image is pulled, its log opened. */
function starts(from: GroupName): Flow[] {
  return [
    { from, to: 'pull-endpoints', port: 443, why: 'images are pulled and logs written' },
    { from, to: 's3', port: 443, why: 'layers of images and saved files are in S3' },
  ];
}
