import { clientException } from './aws-error.ts';
import type { ContainerDefinition } from './container-definition-shape.ts';
import { cpuUnits, isFargateSize, memoryMiB } from './fargate-sizes.ts';
import type { RegisterTaskDefinitionRequest } from './task-definition-shape.ts';

/** What a shape can't say of a task definition: its size, and that its parts fit each other. */
export function checkDefinition(
  request: RegisterTaskDefinitionRequest,
  region: string,
): { cpuUnits: number; memoryMiB: number } {
  const size = checkSize(request);
  const { containerDefinitions: containers, volumes = [] } = request;
  if (!containers.some(({ essential }) => essential)) {
    throw clientException('Invalid container definitions: at least one container must be essential.');
  }
  const names = containers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw clientException(`Container name ${twice} must be unique.`);
  for (const container of containers) checkContainer(container, containers, volumes, size);
  checkRoles(request, region);
  checkOrder(containers);
  return size;
}

function checkSize({ cpu, memory, requiresCompatibilities }: RegisterTaskDefinitionRequest) {
  const isFargate = requiresCompatibilities?.includes('FARGATE') === true;
  if (isFargate && (cpu === undefined || memory === undefined)) {
    const lacks = cpu === undefined ? 'cpu' : 'memory';
    throw clientException(`Fargate requires that '${lacks}' be defined at the task level.`);
  }
  const size = { cpuUnits: cpuUnits(cpu ?? '1024') ?? 0, memoryMiB: memoryMiB(memory ?? '2048') ?? 0 };
  if (size.cpuUnits <= 0) throw clientException(`Invalid setting for task cpu: ${cpu}`);
  if (size.memoryMiB <= 0) throw clientException(`Invalid setting for task memory: ${memory}`);
  if (isFargate && !isFargateSize(size.cpuUnits, size.memoryMiB)) {
    throw clientException(
      `No Fargate configuration exists for given values: ${size.cpuUnits} CPU, ${size.memoryMiB} memory. See the Amazon ECS documentation for the valid values.`,
    );
  }
  return size;
}

function checkContainer(
  container: ContainerDefinition,
  all: readonly ContainerDefinition[],
  volumes: readonly { name: string }[],
  size: { memoryMiB: number },
): void {
  const { name, memory, memoryReservation } = container;
  for (const { sourceVolume } of container.mountPoints ?? []) {
    if (!volumes.some((volume) => volume.name === sourceVolume)) {
      throw clientException(`Unknown volume '${sourceVolume}'.`);
    }
  }
  if (memory !== undefined && memoryReservation !== undefined && memoryReservation > memory) {
    throw clientException(`Invalid setting for container '${name}': memoryReservation is above memory.`);
  }
  if ((memory ?? 0) > size.memoryMiB) {
    throw clientException(`Invalid setting for container '${name}': its memory is above the task's.`);
  }
  for (const { containerName, condition } of container.dependsOn ?? []) {
    const other = all.find((candidate) => candidate.name === containerName);
    if (other === undefined || other === container) {
      throw clientException(
        `Invalid 'dependsOn' setting for container '${name}': no other is '${containerName}'.`,
      );
    }
    if (condition === 'HEALTHY' && other.healthCheck === undefined) {
      throw clientException(
        `Invalid 'dependsOn' setting for container '${name}': '${containerName}' has no health check.`,
      );
    }
    if ((condition === 'COMPLETE' || condition === 'SUCCESS') && other.essential) {
      throw clientException(
        `Invalid 'dependsOn' setting for container '${name}': '${containerName}' is essential and can't be waited for to exit.`,
      );
    }
  }
}

function checkRoles(request: RegisterTaskDefinitionRequest, region: string): void {
  const configured = request.containerDefinitions.flatMap(({ logConfiguration }) => logConfiguration ?? []);
  if (configured.length > 0 && request.executionRoleArn === undefined) {
    throw clientException(
      'Fargate requires task definition to have execution role ARN to support log driver awslogs.',
    );
  }
  const secrets = request.containerDefinitions.flatMap(({ secrets = [] }) => secrets);
  if (secrets.length > 0 && request.executionRoleArn === undefined) {
    throw clientException('Fargate requires task definition to have execution role ARN to support secrets.');
  }
  const elsewhere = configured.find(({ options }) => options['awslogs-region'] !== region);
  if (elsewhere !== undefined) {
    throw clientException(
      `The emulator has the logs of ${region} only, not of ${elsewhere.options['awslogs-region']}.`,
    );
  }
}

function checkOrder(containers: readonly ContainerDefinition[]): void {
  const placed = new Set<string>();
  while (placed.size < containers.length) {
    const ready = containers.filter(
      ({ name, dependsOn = [] }) =>
        !placed.has(name) && dependsOn.every(({ containerName }) => placed.has(containerName)),
    );
    if (ready.length === 0) throw clientException('Dependency cycle detected among the containers.');
    for (const { name } of ready) placed.add(name);
  }
}
