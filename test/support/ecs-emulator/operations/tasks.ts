import { z } from 'zod';
import { invalidParameter } from '../api/aws-error.ts';
import { page } from '../api/page.ts';
import { wireTask } from '../tasks/wire-task.ts';
import { operation } from './operation.ts';

const MOST_DESCRIBED = 100;

export const describeTasks = operation(
  z.strictObject({
    cluster: z.string().optional(),
    tasks: z.array(z.string()).optional(),
    include: z.array(z.literal('TAGS')).optional(),
  }),
  (world, { cluster: named, tasks: wanted = [], include = [] }) => {
    const cluster = world.clusters.get(named);
    if (wanted.length === 0) throw invalidParameter('Tasks cannot be empty.');
    if (wanted.length > MOST_DESCRIBED) {
      throw invalidParameter(`Tasks cannot have more than ${MOST_DESCRIBED} elements.`);
    }
    const arns = new Set(wanted.map((task) => world.tasks.arnOf(cluster, task)));
    const tasks: unknown[] = [];
    const failures: unknown[] = [];
    for (const arn of arns) {
      const seen = world.tasks.run(arn)?.task.seen(world.lag.describeMs);
      if (seen === undefined) failures.push({ arn, reason: 'MISSING' });
      else tasks.push(include.includes('TAGS') ? seen : { ...seen, tags: [] });
    }
    return { tasks, failures };
  },
);

export const listTasks = operation(
  z.strictObject({
    cluster: z.string().optional(),
    desiredStatus: z.enum(['RUNNING', 'PENDING', 'STOPPED']).optional(),
    family: z.string().optional(),
    startedBy: z.string().optional(),
    launchType: z.enum(['FARGATE', 'EC2', 'EXTERNAL', 'MANAGED_INSTANCES']).optional(),
    maxResults: z
      .int()
      .min(1, 'maxResults must be between 1 and 100')
      .max(100, 'maxResults must be between 1 and 100')
      .optional(),
    nextToken: z.string().optional(),
  }),
  (world, { cluster: named, nextToken, maxResults = 100, ...filters }) => {
    const cluster = world.clusters.get(named);
    const { desiredStatus, startedBy, family, launchType } = filters;
    if (startedBy !== undefined && (family ?? launchType ?? desiredStatus) !== undefined) {
      throw invalidParameter('cannot specify startedBy with other arguments');
    }
    const now = world.clock.now();
    const arns = world.tasks
      .of(cluster)
      .filter(({ identity, hiddenUntil }) => {
        if (now < hiddenUntil) return false;
        if (startedBy !== undefined && identity.startedBy !== startedBy) return false;
        if (family !== undefined && identity.definition.family !== family) return false;
        return launchType === undefined || identity.launchType === launchType;
      })
      .filter((task) => task.seen(world.lag.listMs)?.desiredStatus === (desiredStatus ?? 'RUNNING'))
      .map(({ arn }) => arn);
    const { items, next } = page(arns, maxResults, nextToken);
    return { taskArns: items, nextToken: next };
  },
);

export const stopTask = operation(
  z.strictObject({
    cluster: z.string().optional(),
    task: z.string('Task can not be blank.').min(1, 'Task can not be blank.'),
    reason: z.string().max(1024).optional(),
  }),
  (world, { cluster: named, task: wanted, reason = 'Task stopped by user' }) => {
    const cluster = world.clusters.get(named);
    const run = world.tasks.run(world.tasks.arnOf(cluster, wanted));
    if (run === undefined) throw invalidParameter('The referenced task was not found.');
    run.stop({ stopCode: 'UserInitiated', reason });
    return { task: wireTask(run.task) };
  },
);
