import type { PolicyArgs } from '@pulumi/aws/appautoscaling/policy.js';
import type { TargetArgs } from '@pulumi/aws/appautoscaling/target.js';
import type { LogGroupArgs } from '@pulumi/aws/cloudwatch/logGroup.js';
import type { LifecyclePolicyArgs } from '@pulumi/aws/ecr/lifecyclePolicy.js';
import type { RepositoryArgs } from '@pulumi/aws/ecr/repository.js';
import type { ClusterArgs } from '@pulumi/aws/ecs/cluster.js';
import type { ClusterCapacityProvidersArgs } from '@pulumi/aws/ecs/clusterCapacityProviders.js';
import type { ServiceArgs } from '@pulumi/aws/ecs/service.js';
import type { TaskDefinitionArgs } from '@pulumi/aws/ecs/taskDefinition.js';
import type { RoleArgs } from '@pulumi/aws/iam/role.js';
import type { RolePolicyArgs } from '@pulumi/aws/iam/rolePolicy.js';
import type { FunctionArgs } from '@pulumi/aws/lambda/function.js';
import type { InvocationArgs } from '@pulumi/aws/lambda/invocation.js';
import { ACCOUNT, type AwsType, arn, of, REGION } from '../aws-type.ts';
import { capacityProviders, cluster } from '../effects/cluster.ts';
import { invocation } from '../effects/invocation.ts';
import { logGroup } from '../effects/log-group.ts';
import { service } from '../effects/service.ts';
import { taskDefinition } from '../effects/task-definition.ts';

/** What runs, from which images, and what it may. */
export const COMPUTE: Readonly<Record<string, AwsType>> = {
  'aws:ecs/cluster:Cluster': of<ClusterArgs>('{name}', ['name', 'settings', 'tags'], {
    named: 'name',
    replacing: ['name'],
    effects: cluster,
  }),
  'aws:ecs/clusterCapacityProviders:ClusterCapacityProviders': of<ClusterCapacityProvidersArgs>(
    '{clusterName}',
    ['clusterName', 'capacityProviders'],
    { replacing: ['clusterName'], effects: capacityProviders },
  ),
  'aws:ecs/taskDefinition:TaskDefinition': of<TaskDefinitionArgs>(
    '{family}',
    [
      ...(['family', 'networkMode', 'requiresCompatibilities', 'cpu', 'memory', 'runtimePlatform'] as const),
      ...(['executionRoleArn', 'taskRoleArn', 'containerDefinitions', 'skipDestroy', 'tags'] as const),
    ],
    {
      replacing: [
        ...([
          'family',
          'networkMode',
          'requiresCompatibilities',
          'cpu',
          'memory',
          'runtimePlatform',
        ] as const),
        ...(['executionRoleArn', 'taskRoleArn', 'containerDefinitions'] as const),
      ],
      effects: taskDefinition,
    },
  ),
  'aws:ecs/service:Service': of<ServiceArgs>(
    '{name}',
    [
      ...(['name', 'cluster', 'taskDefinition', 'desiredCount', 'launchType', 'tags'] as const),
      ...(['availabilityZoneRebalancing', 'networkConfiguration', 'loadBalancers'] as const),
      ...(['serviceRegistries', 'healthCheckGracePeriodSeconds', 'deploymentMinimumHealthyPercent'] as const),
      ...(['deploymentMaximumPercent', 'deploymentCircuitBreaker', 'enableExecuteCommand'] as const),
      ...(['enableEcsManagedTags', 'propagateTags', 'waitForSteadyState'] as const),
    ],
    { named: 'name', replacing: ['name', 'cluster', 'launchType'], effects: service },
  ),
  'aws:cloudwatch/logGroup:LogGroup': of<LogGroupArgs>('{name}', ['name', 'retentionInDays', 'tags'], {
    named: 'name',
    replacing: ['name'],
    taken: 'ResourceAlreadyExistsException',
    outputs: { arn: arn('logs', 'log-group:{name}') },
    effects: logGroup,
  }),
  'aws:appautoscaling/target:Target': of<TargetArgs>(
    '{resourceId}',
    ['serviceNamespace', 'scalableDimension', 'resourceId', 'minCapacity', 'maxCapacity', 'tags'],
    { replacing: ['serviceNamespace', 'scalableDimension', 'resourceId'] },
  ),
  'aws:appautoscaling/policy:Policy': of<PolicyArgs>(
    '{name}',
    [
      ...(['name', 'policyType', 'serviceNamespace', 'scalableDimension', 'resourceId'] as const),
      ...(['targetTrackingScalingPolicyConfiguration'] as const),
    ],
    { named: 'name', replacing: ['name', 'serviceNamespace', 'scalableDimension', 'resourceId'] },
  ),

  'aws:lambda/function:Function': of<FunctionArgs>(
    '{name}',
    [
      ...(['name', 'description', 'runtime', 'architectures', 'handler', 'code', 'role', 'timeout'] as const),
      ...(['memorySize', 'loggingConfig', 'tags'] as const),
    ],
    {
      named: 'name',
      longest: 64,
      replacing: ['name', 'architectures'],
      taken: 'ResourceConflictException',
      outputs: { arn: arn('lambda', 'function:{name}') },
    },
  ),
  'aws:lambda/invocation:Invocation': of<InvocationArgs>(
    '{functionName}_#',
    ['functionName', 'lifecycleScope', 'input'],
    { replacing: ['functionName'], effects: invocation },
  ),

  'aws:ecr/repository:Repository': of<RepositoryArgs>(
    '{name}',
    [
      ...(['name', 'imageTagMutability', 'imageScanningConfiguration', 'encryptionConfigurations'] as const),
      ...(['forceDelete', 'tags'] as const),
    ],
    {
      named: 'name',
      taken: 'RepositoryAlreadyExistsException',
      replacing: ['name', 'encryptionConfigurations'],
      outputs: {
        arn: arn('ecr', 'repository/{name}'),
        registryId: ACCOUNT,
        repositoryUrl: `${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com/{name}`,
      },
    },
  ),
  'aws:ecr/lifecyclePolicy:LifecyclePolicy': of<LifecyclePolicyArgs>(
    '{repository}',
    ['repository', 'policy'],
    {
      replacing: ['repository', 'policy'],
    },
  ),

  'aws:iam/role:Role': of<RoleArgs>(
    '{name}',
    ['name', 'description', 'assumeRolePolicy', 'maxSessionDuration', 'tags'],
    {
      named: 'name',
      longest: 64,
      replacing: ['name'],
      taken: 'EntityAlreadyExists',
      outputs: { arn: `arn:aws:iam::${ACCOUNT}:role/{name}` },
    },
  ),
  'aws:iam/rolePolicy:RolePolicy': of<RolePolicyArgs>('{role}:{name}', ['name', 'role', 'policy'], {
    named: 'name',
    replacing: ['name', 'role'],
  }),
};
