import { z } from 'zod';
import { KeyValues } from './container-definition-shape.ts';
import { Tags } from './tag-rules.ts';

const nothing = z.array(z.unknown()).max(0, 'is not emulated unless empty').optional();

export const CapacityStrategy = z.array(
  z.strictObject({
    capacityProvider: z.string(),
    weight: z.int().min(0).max(1000).optional(),
    base: z.int().min(0).max(100_000).optional(),
  }),
);

const ContainerOverride = z.strictObject({
  name: z.string('Container name must be specified in the override.'),
  command: z.array(z.string()).optional(),
  environment: KeyValues.optional(),
  memory: z.int().min(6).optional(),
  environmentFiles: nothing,
  resourceRequirements: nothing,
});

export const RunTaskRequest = z.strictObject({
  cluster: z.string().optional(),
  taskDefinition: z.string('TaskDefinition can not be blank.').min(1, 'TaskDefinition can not be blank.'),
  count: z
    .int()
    .min(1, 'count must be between 1 and 10')
    .max(10, 'count must be between 1 and 10')
    .default(1),
  clientToken: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/, 'clientToken has up to 64 characters in the range of 33-126')
    .optional(),
  startedBy: z
    .string()
    .regex(
      /^[A-Za-z0-9_/-]{0,128}$/,
      'startedBy has up to 128 letters, numbers, hyphens, forward slashes and underscores',
    )
    .optional(),
  group: z.string().optional(),
  launchType: z.enum(['FARGATE', 'EC2', 'EXTERNAL', 'MANAGED_INSTANCES']).optional(),
  capacityProviderStrategy: CapacityStrategy.max(20).optional(),
  platformVersion: z.enum(['LATEST', '1.4.0']).optional(),
  networkConfiguration: z
    .strictObject({
      awsvpcConfiguration: z
        .strictObject({
          subnets: z.array(z.string()).min(1, 'subnets can not be empty.').max(16, 'at most 16 subnets'),
          securityGroups: z.array(z.string()).max(5, 'at most 5 security groups').optional(),
          assignPublicIp: z.literal('DISABLED', 'is not emulated unless DISABLED').optional(),
        })
        .optional(),
    })
    .optional(),
  overrides: z
    .strictObject({
      containerOverrides: z.array(ContainerOverride).optional(),
      inferenceAcceleratorOverrides: nothing,
    })
    .optional(),
  propagateTags: z.enum(['TASK_DEFINITION', 'NONE']).optional(),
  enableECSManagedTags: z.boolean().optional(),
  enableExecuteCommand: z.literal(false, 'is not emulated unless false').optional(),
  tags: Tags.optional(),
  placementConstraints: nothing,
  placementStrategy: nothing,
  volumeConfigurations: nothing,
});
export type RunTaskRequest = z.infer<typeof RunTaskRequest>;
