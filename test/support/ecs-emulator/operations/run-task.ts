import { invalidParameter } from '../api/aws-error.ts';
import { RunTaskRequest } from '../api/run-task-shape.ts';
import { checkedTags } from '../api/tag-rules.ts';
import type { Cluster } from '../cluster-store.ts';
import type { TaskDefinition } from '../task-definition-store.ts';
import type { Launch } from '../tasks/task-launcher.ts';
import { wireTask } from '../tasks/wire-task.ts';
import type { World } from '../world.ts';
import { chooseCapacity } from './choose-capacity.ts';
import { operation } from './operation.ts';

const MOST_OVERRIDE_CHARACTERS = 8192;

export const runTask = operation(RunTaskRequest, (world, request, { failures }) => {
  const cluster = world.clusters.get(request.cluster);
  const { clientToken, ...parameters } = request;
  const known =
    clientToken === undefined ? undefined : world.clientTokens.earlier(cluster.name, clientToken, parameters);
  if (known !== undefined) return { tasks: known.map(wireTask), failures: [] };

  const definition = world.taskDefinitions.find(request.taskDefinition);
  const launches = Array.from({ length: request.count }, () =>
    checkedLaunch(world, cluster, definition, request),
  );
  if (failures !== undefined) return { tasks: [], failures: launches.map(() => failures) };
  const onFargate = launches.filter(({ launchType }) => launchType === 'FARGATE');
  world.limits.pass('launches', onFargate.length);
  const tasks = launches.map((launch) => world.launcher.launch(launch));
  if (clientToken !== undefined) world.clientTokens.note(cluster.name, clientToken, parameters, tasks);
  return { tasks: tasks.map(wireTask), failures: [] };
});

/** One task of the request, if it may run. */
export function checkedLaunch(
  world: World,
  cluster: Cluster,
  definition: TaskDefinition,
  request: RunTaskRequest,
): Launch {
  if (definition.status !== 'ACTIVE') throw invalidParameter('TaskDefinition is inactive');
  checkOverrides(definition, request);
  const capacity = chooseCapacity(cluster, definition, request);
  return { cluster, definition, request, ...capacity, subnet: chooseSubnet(world, request), tags: tags() };

  function tags(): Map<string, string> {
    const own = checkedTags(request.tags ?? []);
    return new Map([
      ...(request.propagateTags === 'TASK_DEFINITION' ? definition.tags : []),
      ...own,
      ...(request.enableECSManagedTags ? ([['aws:ecs:clusterName', cluster.name]] as const) : []),
    ]);
  }
}

function checkOverrides(definition: TaskDefinition, { overrides }: RunTaskRequest): void {
  if (JSON.stringify(overrides ?? {}).length > MOST_OVERRIDE_CHARACTERS) {
    throw invalidParameter(`Container Overrides length must be at most ${MOST_OVERRIDE_CHARACTERS}`);
  }
  for (const { name } of overrides?.containerOverrides ?? []) {
    if (!definition.containerDefinitions.some((container) => container.name === name)) {
      throw invalidParameter(
        `Override for container named ${name} is not a container in the TaskDefinition.`,
      );
    }
  }
}

function chooseSubnet({ subnets, securityGroups }: World, { networkConfiguration }: RunTaskRequest): string {
  const network = networkConfiguration?.awsvpcConfiguration;
  if (network === undefined) {
    throw invalidParameter("Network Configuration must be provided when networkMode 'awsvpc' is specified.");
  }
  for (const subnet of network.subnets) {
    if (subnets().includes(subnet)) continue;
    throw invalidParameter(
      `Error retrieving subnet information for [${subnet}]: The subnet ID '${subnet}' does not exist (ErrorCode: InvalidSubnetID.NotFound)`,
    );
  }
  for (const group of network.securityGroups ?? []) {
    if (securityGroups().includes(group)) continue;
    throw invalidParameter(
      `Error retrieving security group information for [${group}]: The security group '${group}' does not exist (ErrorCode: InvalidGroup.NotFound)`,
    );
  }
  return network.subnets[Math.floor(Math.random() * network.subnets.length)] ?? '';
}
