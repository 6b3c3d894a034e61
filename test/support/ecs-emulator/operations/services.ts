import { z } from 'zod';
import { invalidParameter } from '../api/aws-error.ts';
import { RunTaskRequest } from '../api/run-task-shape.ts';
import { Service, type ServiceTasks } from '../services/service.ts';
import type { World } from '../world.ts';
import { operation } from './operation.ts';
import { checkedLaunch } from './run-task.ts';

const { networkConfiguration, capacityProviderStrategy } = RunTaskRequest.shape;
const count = z.int().min(0).max(5000);

const CreateServiceRequest = z.strictObject({
  cluster: z.string().optional(),
  serviceName: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,255}$/, 'Service names have up to 255 letters, numbers, - and _'),
  taskDefinition: z.string(),
  desiredCount: count,
  launchType: z.literal('FARGATE', 'is not emulated unless FARGATE').optional(),
  capacityProviderStrategy,
  networkConfiguration,
});
type CreateServiceRequest = z.infer<typeof CreateServiceRequest>;

export const createService = operation(CreateServiceRequest, (world, request) => {
  const cluster = world.clusters.get(request.cluster);
  const definition = world.taskDefinitions.find(request.taskDefinition);
  const service = world.services.add(cluster, request.serviceName, (identity) => {
    const tasks = serviceTasks(world, request);
    return new Service(identity, { definition, desiredCount: request.desiredCount }, tasks);
  });
  return { service: wireService(service) };
});

export const updateService = operation(
  z.strictObject({
    cluster: z.string().optional(),
    service: z.string(),
    taskDefinition: z.string().optional(),
    desiredCount: count.optional(),
  }),
  (world, request) => {
    const service = world.services.active(world.clusters.get(request.cluster), request.service);
    const { taskDefinition, desiredCount = service.desiredCount } = request;
    const definition =
      taskDefinition === undefined ? service.definition : world.taskDefinitions.find(taskDefinition);
    service.deploy(definition, desiredCount);
    return { service: wireService(service) };
  },
);

export const deleteService = operation(
  z.strictObject({ cluster: z.string().optional(), service: z.string(), force: z.boolean().optional() }),
  (world, { cluster, service: named, force = false }) => {
    const service = world.services.active(world.clusters.get(cluster), named);
    if (service.desiredCount > 0 && !force) {
      throw invalidParameter('The service cannot be stopped while it is scaled above 0.');
    }
    service.delete();
    return { service: wireService(service) };
  },
);

export const describeServices = operation(
  z.strictObject({ cluster: z.string().optional(), services: z.array(z.string()).min(1).max(10) }),
  (world, { cluster: named, services }) => {
    const cluster = world.clusters.get(named);
    const found = services.map((service) => ({ service, known: world.services.find(cluster, service) }));
    return {
      services: found.flatMap(({ known }) => (known === undefined ? [] : [wireService(known)])),
      failures: found
        .filter(({ known }) => known === undefined)
        .map(({ service }) => ({ arn: world.arns.service(cluster.name, service), reason: 'MISSING' })),
    };
  },
);

/** They are started as RunTask would, in the service's own name. */
function serviceTasks(world: World, request: CreateServiceRequest): ServiceTasks {
  const { serviceName, desiredCount: _, taskDefinition: __, ...shared } = request;
  const cluster = world.clusters.get(request.cluster);
  return {
    launch(definition) {
      const run = RunTaskRequest.parse({
        ...shared,
        taskDefinition: definition.taskDefinitionArn,
        group: `service:${serviceName}`,
        startedBy: `ecs-svc/${serviceName}`,
      });
      return world.launcher.launch(checkedLaunch(world, cluster, definition, run));
    },
    stop: (task) =>
      world.tasks.run(task.arn)?.stop({
        stopCode: 'ServiceSchedulerInitiated',
        reason: `Scaling activity initiated by (deployment ${serviceName})`,
      }),
  };
}

function wireService(service: Service): Record<string, unknown> {
  const { identity, definition, desiredCount, rollout } = service;
  const counts = {
    desiredCount,
    runningCount: service.count('RUNNING'),
    pendingCount: service.count('PENDING'),
  };
  return {
    serviceArn: identity.arn,
    serviceName: identity.name,
    clusterArn: identity.cluster.arn,
    status: service.status,
    taskDefinition: definition.taskDefinitionArn,
    ...counts,
    deployments: [
      {
        status: 'PRIMARY',
        taskDefinition: definition.taskDefinitionArn,
        ...counts,
        rolloutState: rollout,
        rolloutStateReason: service.lastFailure,
      },
    ],
  };
}
