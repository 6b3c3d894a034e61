import { z } from 'zod';
import type { Access } from '../../iam/evaluate-policy.ts';
import { shortName } from '../api/arns.ts';
import type { World } from '../world.ts';

/** What a call's input says of what it is about. Access is asked for before anything else in it is checked. */
const Named = z.object({
  cluster: z.string().default('default').catch('default'),
  taskDefinition: z.string().default('').catch(''),
  task: z.string().default('').catch(''),
  tasks: z.array(z.string()).default([]).catch([]),
  tags: z
    .array(z.object({ key: z.string(), value: z.string() }))
    .default([])
    .catch([]),
  resourceArn: z.string().default('').catch(''),
  logGroupName: z.string().default('').catch(''),
  logStreamName: z.string().default('').catch(''),
  family: z.string().default('').catch(''),
  executionRoleArn: z.string().optional().catch(undefined),
  taskRoleArn: z.string().optional().catch(undefined),
  FileSystemId: z.string().optional().catch(undefined),
  AccessPointId: z.string().default('').catch(''),
  Tags: z
    .array(z.object({ Key: z.string(), Value: z.string() }))
    .default([])
    .catch([]),
});
type Named = z.infer<typeof Named>;

type Required = (world: World, named: Named) => Access[];

/** As the "Actions, resources, and condition keys" of ECS, EFS and CloudWatch Logs have it. */
const REQUIRED: Readonly<Record<string, Required>> = {
  RunTask: runTask,
  StopTask: (world, { cluster, task }) => [onTask(world, 'ecs:StopTask', cluster, task)],
  DescribeTasks: (world, { cluster, tasks }) =>
    tasks.map((task) => onTask(world, 'ecs:DescribeTasks', cluster, task)),
  ListTasks: (world, { cluster }) => [
    {
      action: 'ecs:ListTasks',
      resource: world.arns.containerInstances(shortName('cluster', cluster)),
      context: inCluster(world, cluster),
    },
  ],
  RegisterTaskDefinition: registerTaskDefinition,
  CreateAccessPoint: createAccessPoint,
  DescribeAccessPoints: ({ arns, accessPoints }, { FileSystemId, AccessPointId }) => [
    {
      action: 'elasticfilesystem:DescribeAccessPoints',
      resource: FileSystemId === undefined ? arns.accessPoint(AccessPointId) : arns.fileSystem(FileSystemId),
      context: resourceTags(accessPoints.known(AccessPointId)?.Tags ?? []),
    },
  ],
  DeleteAccessPoint: ({ arns, accessPoints }, { AccessPointId }) => [
    {
      action: 'elasticfilesystem:DeleteAccessPoint',
      resource: arns.accessPoint(AccessPointId),
      context: resourceTags(accessPoints.known(AccessPointId)?.Tags ?? []),
    },
  ],
  // On a task that is there already: it is created by nothing.
  TagResource: (_, { resourceArn }) => [{ action: 'ecs:TagResource', resource: resourceArn }],
  GetLogEvents: (world, { logGroupName, logStreamName }) => [
    {
      action: 'logs:GetLogEvents',
      resource: `${world.arns.logGroup(logGroupName)}:log-stream:${logStreamName}`,
    },
  ],
};

/** All that a caller must be allowed for one call. */
export function requiredAccess(world: World, service: string, operation: string, input: unknown): Access[] {
  const required = REQUIRED[operation];
  if (required === undefined) return [{ action: `${service}:${operation}`, resource: '*' }];
  return required(world, Named.parse(input));
}

function runTask(world: World, { cluster, taskDefinition, tags }: Named): Access[] {
  const definition = world.taskDefinitions.known(taskDefinition);
  const [family = '', revision = '*'] = shortName('task-definition', taskDefinition).split(':');
  const passed = [definition?.executionRoleArn, definition?.taskRoleArn].filter((role) => role !== undefined);
  return [
    {
      action: 'ecs:RunTask',
      resource: definition?.taskDefinitionArn ?? world.arns.taskDefinition(family, revision),
      context: inCluster(world, cluster),
    },
    ...passed.map(passRole),
    ...(tags.length === 0
      ? []
      : [
          {
            action: 'ecs:TagResource',
            resource: world.arns.task(shortName('cluster', cluster), '*'),
            context: { 'ecs:CreateAction': 'RunTask' },
          },
        ]),
  ];
}

/** AWS knows no resource of it: what is registered is told apart by its tags. */
function registerTaskDefinition({ arns }: World, named: Named): Access[] {
  const { family, tags, executionRoleArn, taskRoleArn } = named;
  const context = requestTags(tags.map(({ key, value }) => ({ Key: key, Value: value })));
  const passed = [executionRoleArn, taskRoleArn].filter((role) => role !== undefined);
  return [
    { action: 'ecs:RegisterTaskDefinition', resource: '*', context },
    ...passed.map(passRole),
    ...(tags.length === 0
      ? []
      : [
          {
            action: 'ecs:TagResource',
            resource: arns.taskDefinition(family, '*'),
            context: { ...context, 'ecs:CreateAction': 'RegisterTaskDefinition' },
          },
        ]),
  ];
}

function createAccessPoint({ arns }: World, { FileSystemId = '', Tags }: Named): Access[] {
  const context = requestTags(Tags);
  return [
    {
      action: 'elasticfilesystem:CreateAccessPoint',
      resource: arns.fileSystem(FileSystemId),
      context,
    },
    ...(Tags.length === 0
      ? []
      : [
          {
            action: 'elasticfilesystem:TagResource',
            resource: arns.accessPoint('*'),
            context: { ...context, 'elasticfilesystem:CreateAction': 'CreateAccessPoint' },
          },
        ]),
  ];
}

function passRole(resource: string): Access {
  return {
    action: 'iam:PassRole',
    resource,
    context: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' },
  };
}

function requestTags(tags: Named['Tags']): Record<string, string> {
  return Object.fromEntries(tags.map(({ Key, Value }) => [`aws:RequestTag/${Key}`, Value]));
}

function resourceTags(tags: Named['Tags']): Record<string, string> {
  return Object.fromEntries(tags.map(({ Key, Value }) => [`aws:ResourceTag/${Key}`, Value]));
}

function onTask(world: World, action: string, cluster: string, task: string): Access {
  const id = shortName('task', task).split('/').at(-1) ?? '';
  const resource = task.startsWith('arn:') ? task : world.arns.task(shortName('cluster', cluster), id);
  return { action, resource, context: inCluster(world, cluster) };
}

function inCluster(world: World, cluster: string): Record<string, string> {
  return { 'ecs:cluster': world.arns.cluster(shortName('cluster', cluster)) };
}
