import { z } from 'zod';
import { ContainerDefinition } from './container-definition-shape.ts';
import { Tags } from './tag-rules.ts';

export type { ContainerDefinition };

const nothing = z.array(z.unknown()).max(0, 'is not emulated unless empty').optional();

const EfsVolume = z
  .strictObject({
    fileSystemId: z.string().regex(/^fs-[0-9a-f]{8,40}$/, 'is no id of a file system'),
    rootDirectory: z.string().optional(),
    transitEncryption: z.enum(['ENABLED', 'DISABLED']).optional(),
    transitEncryptionPort: z.int().optional(),
    authorizationConfig: z
      .strictObject({
        accessPointId: z
          .string()
          .regex(/^fsap-[0-9a-f]{8,40}$/, 'is no id of an access point')
          .optional(),
        iam: z.enum(['ENABLED', 'DISABLED']).optional(),
      })
      .optional(),
  })
  .refine(
    ({ authorizationConfig: auth, rootDirectory = '/' }) =>
      auth?.accessPointId === undefined || rootDirectory === '/',
    'When an access point is specified, the root directory must be omitted or /.',
  )
  .refine(
    ({ authorizationConfig: auth, transitEncryption }) =>
      (auth?.accessPointId === undefined && auth?.iam !== 'ENABLED') || transitEncryption === 'ENABLED',
    'Transit encryption must be enabled when an access point or IAM authorization is used.',
  );

const Volume = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,255}$/, 'Volume names have up to 255 letters, numbers, - and _'),
  host: z.strictObject({}).optional(),
  efsVolumeConfiguration: EfsVolume.optional(),
});
export type Volume = z.infer<typeof Volume>;

export const RegisterTaskDefinitionRequest = z.strictObject({
  family: z
    .string('Family is required.')
    .regex(/^[A-Za-z0-9_-]{1,255}$/, 'Families have up to 255 letters, numbers, - and _'),
  containerDefinitions: z
    .array(ContainerDefinition)
    .min(1, 'Container list cannot be empty.')
    .max(10, 'A task definition has at most 10 containers'),
  networkMode: z.literal('awsvpc', "Fargate only supports network mode 'awsvpc'."),
  requiresCompatibilities: z.array(z.enum(['FARGATE', 'EC2', 'EXTERNAL', 'MANAGED_INSTANCES'])).optional(),
  cpu: z.string().optional(),
  memory: z.string().optional(),
  executionRoleArn: z.string().startsWith('arn:', 'is no ARN of a role').optional(),
  taskRoleArn: z.string().startsWith('arn:', 'is no ARN of a role').optional(),
  volumes: z.array(Volume).optional(),
  runtimePlatform: z
    .strictObject({
      cpuArchitecture: z.enum(['X86_64', 'ARM64']).optional(),
      operatingSystemFamily: z.literal('LINUX', 'is not emulated unless LINUX').optional(),
    })
    .optional(),
  ephemeralStorage: z.strictObject({ sizeInGiB: z.int().min(21).max(200) }).optional(),
  tags: Tags.optional(),
  placementConstraints: nothing,
  inferenceAccelerators: nothing,
});
export type RegisterTaskDefinitionRequest = z.infer<typeof RegisterTaskDefinitionRequest>;
