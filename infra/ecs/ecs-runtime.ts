import { Policy } from '@pulumi/aws/appautoscaling/policy.js';
import { Target } from '@pulumi/aws/appautoscaling/target.js';
import { Service } from '@pulumi/aws/ecs/service.js';
import { TaskDefinition } from '@pulumi/aws/ecs/taskDefinition.js';
import { all, type Input, interpolate, type Output, type Resource } from '@pulumi/pulumi';
import { plainVariables, type RuntimeEnvironment, secretVariables } from '../runtime-environment.ts';
import { type ContainerDefinition, hardened, tmpfs } from './container-definition.ts';
import { deployed } from './deployed.ts';
import { logGroup } from './ecs-cluster.ts';
import { ecsImage } from './ecs-images.ts';
import { type EcsPlace, taskFamilyArn } from './ecs-place.ts';
import { executionRole } from './ecs-roles.ts';
import type { StoredSecret } from './ecs-secrets.ts';
import { ecsSweeper } from './ecs-sweeper.ts';
import { mostInstances } from './most-instances.ts';
import { RUNTIME_PORT } from './security-flows.ts';

const MiB = 1024 * 1024;
const RUNTIME_CONTAINER = 'runtime';
const RUNTIME_UID = 10_000;
/** Where the container writes: its lock, and files on their way. */
const WRITABLE = { '/var/lib/berth': 64 * MiB, '/tmp': 256 * MiB };
const STOP_SECONDS = 90;
const CPU_PERCENT = 60;
/** An instance more or less is waited for this long. */
const COOLDOWN_SECONDS = 120;

interface Instance {
  image: string;
  log: { group: string; region: string };
  environment: { name: string; value: string }[];
  secrets: { name: string; valueFrom: string }[];
}

export function runtimeContainer({ image, log, environment, secrets }: Instance): ContainerDefinition {
  const common = hardened(log);
  return {
    ...common,
    name: RUNTIME_CONTAINER,
    image,
    user: `${RUNTIME_UID}:${RUNTIME_UID}`,
    linuxParameters: {
      ...common.linuxParameters,
      tmpfs: Object.entries(WRITABLE).map(([path, bytes]) => tmpfs(path, bytes, RUNTIME_UID)),
    },
    portMappings: [{ containerPort: RUNTIME_PORT, protocol: 'tcp' }],
    environment: [...environment, { name: 'AWS_REGION', value: log.region }],
    secrets,
    healthCheck: {
      command: ['CMD', 'node', '/opt/berth/health-check.mjs'],
      interval: 30,
      timeout: 5,
      retries: 3,
      startPeriod: 60,
    },
    stopTimeout: STOP_SECONDS,
  };
}

interface Given {
  place: EcsPlace;
  version: string;
  environment: RuntimeEnvironment<StoredSecret>;
  taskRoleArn: Input<string>;
  cluster: { arn: Output<string>; name: Output<string> };
  subnetIds: Output<string[]>;
  securityGroupId: Output<string>;
  targetGroupArn: Output<string>;
  replicas: number;
  destroyData: boolean;
  dependsOn: Output<Resource[]>;
}

interface EcsRuntime {
  service: Service;
  deployed: Output<string>;
  /** The name of the function that ends conversations. */
  sweeper: Output<string>;
}

/**
 * The runtime on Fargate, over the zones, behind the load balancer, and what ends its conversations when it goes. A
 * deployment that fails is rolled back, and fails.
 */
export function ecsRuntime(given: Given): EcsRuntime {
  const { place, cluster, replicas, environment } = given;
  const { name, parent, tags } = place;
  const called = `${name}-runtime`;
  const image = ecsImage(place, 'runtime', given.version);
  const log = logGroup(place, 'runtime');
  const execution = executionRole({
    place,
    clusterArn: cluster.arn,
    called: 'runtime',
    repositories: [image.repositoryArn],
    logGroup: log.arn,
    secrets: secretVariables(environment).map(({ value }) => value.secretArn),
  });
  const task = new TaskDefinition(
    called,
    {
      family: called,
      networkMode: 'awsvpc',
      requiresCompatibilities: ['FARGATE'],
      cpu: '1024',
      memory: '2048',
      executionRoleArn: execution.role.arn,
      taskRoleArn: given.taskRoleArn,
      runtimePlatform: { cpuArchitecture: 'X86_64', operatingSystemFamily: 'LINUX' },
      containerDefinitions: containers(place.region, image.ref, log.name, environment),
      skipDestroy: true, // what a failed deployment rolls back to: see ecs-revisions.ts
      tags,
    },
    { parent },
  );
  const needed = given.dependsOn.apply((before) => [...before, execution.granted]);
  const sweeper = ecsSweeper({
    place,
    clusterArn: cluster.arn,
    task,
    taskFamily: taskFamilyArn(place, called),
    taskRoles: [execution.role.arn, given.taskRoleArn],
    container: RUNTIME_CONTAINER,
    subnetIds: given.subnetIds,
    securityGroupId: given.securityGroupId,
    logGroup: log.name,
    destroyData: given.destroyData,
    dependsOn: needed,
  });
  const service = new Service(
    called,
    {
      cluster: cluster.arn,
      taskDefinition: task.arn,
      desiredCount: replicas,
      launchType: 'FARGATE',
      availabilityZoneRebalancing: 'ENABLED',
      networkConfiguration: {
        subnets: given.subnetIds,
        securityGroups: [given.securityGroupId],
        assignPublicIp: false,
      },
      loadBalancers: [
        {
          targetGroupArn: given.targetGroupArn,
          containerName: RUNTIME_CONTAINER,
          containerPort: RUNTIME_PORT,
        },
      ],
      healthCheckGracePeriodSeconds: 60,
      deploymentMinimumHealthyPercent: 100,
      deploymentMaximumPercent: 200,
      deploymentCircuitBreaker: { enable: true, rollback: true },
      enableExecuteCommand: false,
      enableEcsManagedTags: true,
      propagateTags: 'SERVICE',
      waitForSteadyState: true,
      tags,
    },
    // How many there are is the autoscaler's business.
    { parent, dependsOn: needed.apply((before) => [...before, sweeper]), ignoreChanges: ['desiredCount'] },
  );
  autoscaling(place, cluster.name, service, replicas);
  return { service, deployed: deployed(service, task), sweeper: sweeper.functionName };
}

function containers(
  where: Output<string>,
  image: Output<string>,
  log: Output<string>,
  environment: RuntimeEnvironment<StoredSecret>,
): Output<string> {
  const plain = plainVariables(environment);
  const secrets = secretVariables(environment);
  return all([
    image,
    log,
    where,
    all(plain.map(({ value }) => value)),
    all(secrets.map(({ value }) => value.arn)),
  ]).apply(([ref, group, region, values, arns]) => {
    const container = runtimeContainer({
      image: ref,
      log: { group, region },
      environment: plain.map(({ name }, at) => ({ name, value: values[at] ?? '' })),
      secrets: secrets.map(({ name }, at) => ({ name, valueFrom: arns[at] ?? '' })),
    });
    return JSON.stringify([container]);
  });
}

function autoscaling(
  { name, parent, tags }: EcsPlace,
  cluster: Output<string>,
  service: Service,
  replicas: number,
): void {
  const called = `${name}-runtime`;
  const target = new Target(
    called,
    {
      serviceNamespace: 'ecs',
      scalableDimension: 'ecs:service:DesiredCount',
      resourceId: interpolate`service/${cluster}/${service.name}`,
      minCapacity: replicas,
      maxCapacity: mostInstances(replicas),
      tags,
    },
    { parent },
  );
  new Policy(
    called,
    {
      policyType: 'TargetTrackingScaling',
      serviceNamespace: target.serviceNamespace,
      scalableDimension: target.scalableDimension,
      resourceId: target.resourceId,
      targetTrackingScalingPolicyConfiguration: {
        predefinedMetricSpecification: { predefinedMetricType: 'ECSServiceAverageCPUUtilization' },
        targetValue: CPU_PERCENT,
        scaleInCooldown: COOLDOWN_SECONDS,
        scaleOutCooldown: COOLDOWN_SECONDS,
      },
    },
    { parent },
  );
}
