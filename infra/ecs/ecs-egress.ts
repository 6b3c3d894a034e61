import type { SecurityGroup } from '@pulumi/aws/ec2/securityGroup.js';
import { Service } from '@pulumi/aws/ecs/service.js';
import { TaskDefinition } from '@pulumi/aws/ecs/taskDefinition.js';
import { PrivateDnsNamespace } from '@pulumi/aws/servicediscovery/privateDnsNamespace.js';
import { Service as NamedService } from '@pulumi/aws/servicediscovery/service.js';
import { all, interpolate, type Output, type Resource, secret } from '@pulumi/pulumi';
import { RandomPassword } from '@pulumi/random';
import { type ContainerDefinition, hardened } from './container-definition.ts';
import { deployed } from './deployed.ts';
import { logGroup } from './ecs-cluster.ts';
import type { EcsImage } from './ecs-images.ts';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { executionRole } from './ecs-roles.ts';
import { type StoredSecret, storedSecret } from './ecs-secrets.ts';

const PROXY_UID = 10_002;
const PORT = 8080;
const ADMIN_PORT = 8081;
const PROXY_TASKS = 2;

interface Proxy {
  image: string;
  log: { group: string; region: string };
  adminKey: string;
}

export function proxyContainer({ image, log, adminKey }: Proxy): ContainerDefinition {
  return {
    ...hardened(log),
    name: 'proxy',
    image,
    command: ['node', '--disable-sigusr1', '/opt/berth/proxy-service.mjs'],
    user: `${PROXY_UID}:${PROXY_UID}`,
    portMappings: [
      { containerPort: PORT, protocol: 'tcp' },
      { containerPort: ADMIN_PORT, protocol: 'tcp' },
    ],
    environment: [
      { name: 'PROXY_LISTEN_PORT', value: String(PORT) },
      { name: 'ADMIN_PORT', value: String(ADMIN_PORT) },
    ],
    secrets: [{ name: 'PROXY_ADMIN_KEY', valueFrom: adminKey }],
    healthCheck: {
      command: ['CMD', 'node', '/opt/berth/health-check.mjs'],
      interval: 30,
      timeout: 5,
      retries: 3,
      startPeriod: 15,
    },
    stopTimeout: 60,
  };
}

interface Given {
  place: EcsPlace;
  network: EcsNetwork;
  image: EcsImage;
  clusterArn: Output<string>;
  securityGroup: SecurityGroup | undefined;
  destroyData: boolean;
  dependsOn: Resource[];
}

export interface EcsEgress {
  url: Output<string>;
  adminKey: StoredSecret;
  service: Service;
  deployed: Output<string>;
}

/** The egress proxy apart, at a name that leads to each of its tasks: the runtime tells every one its rules. */
export function ecsEgress(given: Given): EcsEgress {
  const { place, network, clusterArn, image, securityGroup } = given;
  const { name, parent, tags, region } = place;
  if (securityGroup === undefined) throw new Error('The egress proxy has no security group.');
  const called = `${name}-proxy`;
  const key = new RandomPassword(`${called}-admin`, { length: 48, special: false }, { parent });
  const adminKey = storedSecret(place, {
    called: 'proxy-admin-key',
    what: 'seals what the egress proxy is told',
    value: secret(key.result),
    destroyData: given.destroyData,
  });
  const log = logGroup(place, 'proxy');
  const execution = executionRole({
    place,
    clusterArn,
    called: 'proxy',
    repositories: [image.repositoryArn],
    logGroup: log.arn,
    secrets: [adminKey.secretArn],
  });
  const namespace = new PrivateDnsNamespace(
    called,
    { name: `${name}.berth.internal`, vpc: network.vpcId, tags },
    { parent },
  );
  const named = new NamedService(
    called,
    {
      name: 'proxy',
      dnsConfig: {
        namespaceId: namespace.id,
        routingPolicy: 'MULTIVALUE',
        dnsRecords: [{ type: 'A', ttl: 5 }],
      },
      forceDestroy: true, // tasks that are just ending may still be registered
      tags,
    },
    { parent },
  );
  const task = new TaskDefinition(
    called,
    {
      family: called,
      networkMode: 'awsvpc',
      requiresCompatibilities: ['FARGATE'],
      cpu: '1024',
      memory: '2048',
      executionRoleArn: execution.role.arn,
      runtimePlatform: { cpuArchitecture: 'X86_64', operatingSystemFamily: 'LINUX' },
      containerDefinitions: all([image.ref, log.name, region, adminKey.arn]).apply(
        ([ref, group, where, key]) =>
          JSON.stringify([proxyContainer({ image: ref, log: { group, region: where }, adminKey: key })]),
      ),
      skipDestroy: true, // what a failed deployment rolls back to: see ecs-revisions.ts
      tags,
    },
    { parent },
  );
  const service = new Service(
    called,
    {
      cluster: clusterArn,
      taskDefinition: task.arn,
      desiredCount: PROXY_TASKS,
      launchType: 'FARGATE',
      availabilityZoneRebalancing: 'ENABLED',
      networkConfiguration: {
        subnets: network.proxySubnets,
        securityGroups: [securityGroup.id],
        assignPublicIp: false,
      },
      serviceRegistries: { registryArn: named.arn },
      deploymentMinimumHealthyPercent: 100,
      deploymentMaximumPercent: 200,
      deploymentCircuitBreaker: { enable: true, rollback: true },
      enableExecuteCommand: false,
      enableEcsManagedTags: true,
      propagateTags: 'SERVICE',
      waitForSteadyState: true,
      tags,
    },
    { parent, dependsOn: [...given.dependsOn, execution.granted] },
  );
  return {
    url: interpolate`http://${named.name}.${namespace.name}:${PORT}`,
    adminKey,
    service,
    deployed: deployed(service, task),
  };
}
