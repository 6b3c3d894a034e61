import { z } from 'zod';
import { clientException } from '../api/aws-error.ts';
import { page } from '../api/page.ts';
import { tagList } from '../api/tag-rules.ts';
import { RegisterTaskDefinitionRequest } from '../api/task-definition-shape.ts';
import type { TaskDefinition } from '../task-definition-store.ts';
import { operation } from './operation.ts';

export const registerTaskDefinition = operation(
  RegisterTaskDefinitionRequest,
  (world, request) => {
    const definition = world.taskDefinitions.register(request, world.clock.now());
    return { taskDefinition: wireDefinition(definition), tags: tagList(definition.tags) };
  },
  clientException,
);

export const describeTaskDefinition = operation(
  z.strictObject({ taskDefinition: z.string(), include: z.array(z.literal('TAGS')).optional() }),
  (world, { taskDefinition, include = [] }) => {
    const definition = world.taskDefinitions.find(taskDefinition);
    return {
      taskDefinition: wireDefinition(definition),
      tags: include.includes('TAGS') ? tagList(definition.tags) : [],
    };
  },
);

export const deregisterTaskDefinition = operation(
  z.strictObject({
    taskDefinition: z
      .string()
      .regex(/:\d+$/, 'Invalid revision number. Number: the revision must be specified.'),
  }),
  (world, { taskDefinition }) => {
    const definition = world.taskDefinitions.find(taskDefinition);
    if (definition.status === 'ACTIVE') {
      definition.status = 'INACTIVE';
      definition.deregisteredAt = world.clock.now();
    }
    return { taskDefinition: wireDefinition(definition) };
  },
);

/** What is called a prefix here is a whole name: that of families is one. */
export const listTaskDefinitions = operation(
  z.strictObject({
    familyPrefix: z.string().optional(),
    status: z.enum(['ACTIVE', 'INACTIVE']).default('ACTIVE'),
    sort: z.enum(['ASC', 'DESC']).default('ASC'),
    maxResults: z.int().min(1).max(100).default(100),
    nextToken: z.string().optional(),
  }),
  (world, { familyPrefix, status, sort, maxResults, nextToken }) => {
    const arns = world.taskDefinitions.list(status, familyPrefix).map(({ taskDefinitionArn: arn }) => arn);
    const { items, next } = page(sort === 'ASC' ? arns : arns.reverse(), maxResults, nextToken);
    return { taskDefinitionArns: items, nextToken: next };
  },
);

export const listTaskDefinitionFamilies = operation(
  z.strictObject({
    familyPrefix: z.string().default(''),
    status: z.literal('ACTIVE'),
    maxResults: z.int().min(1).max(100).default(100),
    nextToken: z.string().optional(),
  }),
  (world, { familyPrefix, status, maxResults, nextToken }) => {
    const families = new Set(world.taskDefinitions.list(status).map(({ family }) => family));
    const found = [...families].filter((family) => family.startsWith(familyPrefix));
    const { items, next } = page(found, maxResults, nextToken);
    return { families: items, nextToken: next };
  },
);

function wireDefinition(definition: TaskDefinition): Record<string, unknown> {
  const { cpuUnits, memoryMiB, tags: _, registeredAt, deregisteredAt, ...rest } = definition;
  return {
    ...rest,
    cpu: `${cpuUnits}`,
    memory: `${memoryMiB}`,
    registeredAt: registeredAt / 1000,
    deregisteredAt: deregisteredAt === undefined ? undefined : deregisteredAt / 1000,
  };
}
