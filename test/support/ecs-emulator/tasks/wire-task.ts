import type { TaskContainer, TaskState } from './task-state.ts';

/** A task in the words of the API; its times are seconds since 1970. */
export interface WireTask extends Readonly<Record<string, unknown>> {
  readonly taskArn: string;
  readonly lastStatus: string;
  readonly desiredStatus: string;
  readonly tags: readonly { key: string; value: string }[];
}

const seconds = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.round(ms) / 1000;

export function wireTask(task: TaskState): WireTask {
  const { identity, attachment, stop } = task;
  const { definition } = identity;
  return {
    attachments: [
      {
        id: attachment.id,
        type: 'ElasticNetworkInterface',
        status: attachment.status,
        details: attachmentDetails(task),
      },
    ],
    attributes: [
      {
        name: 'ecs.cpu-architecture',
        value: (definition.runtimePlatform?.cpuArchitecture ?? 'X86_64').toLowerCase(),
      },
    ],
    availabilityZone: identity.zone,
    capacityProviderName: identity.capacityProvider,
    clusterArn: identity.clusterArn,
    connectivity: task.pullStartedAt === undefined ? undefined : 'CONNECTED',
    connectivityAt: seconds(task.pullStartedAt),
    containers: task.containers.map((container) => wireContainer(task, container)),
    cpu: `${definition.cpuUnits}`,
    createdAt: seconds(identity.createdAt),
    desiredStatus: task.desiredStatus,
    enableExecuteCommand: false,
    executionStoppedAt: seconds(task.executionStoppedAt),
    ephemeralStorage: definition.ephemeralStorage ?? { sizeInGiB: 20 },
    group: identity.group,
    healthStatus: task.health,
    lastStatus: task.status,
    launchType: identity.launchType,
    memory: `${definition.memoryMiB}`,
    overrides: identity.overrides,
    platformFamily: identity.launchType === 'FARGATE' ? 'Linux' : undefined,
    platformVersion: identity.launchType === 'FARGATE' ? '1.4.0' : undefined,
    pullStartedAt: seconds(task.pullStartedAt),
    pullStoppedAt: seconds(task.pullStoppedAt),
    startedAt: seconds(task.startedAt),
    startedBy: identity.startedBy,
    stopCode: stop?.stopCode,
    stoppedAt: seconds(task.stoppedAt),
    stoppedReason: stop?.reason,
    stoppingAt: seconds(task.stoppingAt),
    tags: [...task.tags].map(([key, value]) => ({ key, value })),
    taskArn: identity.arn,
    taskDefinitionArn: definition.taskDefinitionArn,
    version: task.version,
  };
}

/** Before the interface is attached, only the subnet is known. */
function attachmentDetails({ identity, attachment }: TaskState): { name: string; value: string }[] {
  const details = [{ name: 'subnetId', value: identity.subnet }];
  if (attachment.address === undefined) return details;
  const { address, networkInterfaceId } = attachment;
  const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return [
    ...details,
    { name: 'networkInterfaceId', value: networkInterfaceId },
    { name: 'macAddress', value: `0a:58:${bytes.join(':')}` },
    { name: 'privateDnsName', value: `ip-${address.replaceAll('.', '-')}.ec2.internal` },
    { name: 'privateIPv4Address', value: address },
  ];
}

function wireContainer(
  { identity, attachment }: TaskState,
  container: TaskContainer,
): Record<string, unknown> {
  return {
    containerArn: container.arn,
    taskArn: identity.arn,
    name: container.name,
    image: container.image,
    runtimeId: container.runtimeId,
    lastStatus: container.status,
    exitCode: container.exitCode,
    reason: container.reason,
    networkBindings: [],
    networkInterfaces:
      attachment.address === undefined
        ? []
        : [{ attachmentId: attachment.id, privateIpv4Address: attachment.address }],
    healthStatus: container.health,
    cpu: container.cpu,
    memory: container.memory,
  };
}
