import { type PolicyDocument, policy, type Statement } from './policy-document.ts';
import { type WorkspacesMay, workspaceStatements } from './workspace-policy.ts';

const TASKS = 'ecs-tasks.amazonaws.com';

/** ECS may hand the role to tasks of this cluster's account and region, and to nobody else's. */
export function trustTasks(clusterArn: string): PolicyDocument {
  const [, partition = '', , region = '', account = ''] = clusterArn.split(':');
  return policy({
    Effect: 'Allow',
    Principal: { Service: TASKS },
    Action: 'sts:AssumeRole',
    Condition: {
      StringEquals: { 'aws:SourceAccount': account },
      ArnLike: { 'aws:SourceArn': `arn:${partition}:ecs:${region}:${account}:*` },
    },
  });
}

/** One role may assume this one. */
export function trustRole(arn: string): PolicyDocument {
  return policy({ Effect: 'Allow', Principal: { AWS: arn }, Action: 'sts:AssumeRole' });
}

/** Lambda may run functions as this role. */
export function trustFunctions(): PolicyDocument {
  return policy({
    Effect: 'Allow',
    Principal: { Service: 'lambda.amazonaws.com' },
    Action: 'sts:AssumeRole',
  });
}

/** What starts a task: its images, its log, its secrets. */
export function executionPolicy(of: {
  repositories: string[];
  logGroup: string;
  secrets: string[];
}): PolicyDocument {
  const secrets: Statement[] =
    of.secrets.length === 0
      ? []
      : [{ Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: of.secrets }];
  return policy(
    // AWS has nothing narrower: the token is of the account's registry.
    { Effect: 'Allow', Action: 'ecr:GetAuthorizationToken', Resource: '*' },
    {
      Effect: 'Allow',
      Action: ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer'],
      Resource: of.repositories,
    },
    {
      Effect: 'Allow',
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      Resource: `${of.logGroup}:*`,
    },
    ...secrets,
  );
}

export interface RuntimeMay {
  cluster: string;
  /** Of the conversations' task definition, without its revision. */
  taskFamily: string;
  executionRole: string;
  logGroup: string;
  bucket: string;
  /** Of its keys, without a slash. */
  prefix: string;
  /** The role for models, where there is one. */
  bedrockRole: string | undefined;
  /** Of the task definitions that functions may name, with or without a revision: all that their tasks have to do with. */
  functions?: { taskDefinitions: string[]; roles: string[]; logGroups: string[] } | undefined;
  /** None: it has no workspaces. */
  workspaces?: Omit<WorkspacesMay, 'cluster'> | undefined;
}

/** What the runtime calls, and no more. */
export function runtimePolicy(may: RuntimeMay): PolicyDocument {
  const inCluster = { ArnEquals: { 'ecs:cluster': may.cluster } };
  const tasks = `${may.cluster.replace(':cluster/', ':task/')}/*`;
  const models: Statement[] =
    may.bedrockRole === undefined
      ? []
      : [{ Effect: 'Allow', Action: 'sts:AssumeRole', Resource: may.bedrockRole }];
  const { taskDefinitions = [], roles = [], logGroups = [] } = may.functions ?? {};
  return policy(
    {
      Effect: 'Allow',
      Action: 'ecs:RunTask',
      Resource: several(
        `${may.taskFamily}:*`,
        taskDefinitions.map((arn) => (/:\d+$/.test(arn) ? arn : `${arn}:*`)),
      ),
      Condition: inCluster,
    },
    { Effect: 'Allow', Action: ['ecs:StopTask', 'ecs:DescribeTasks'], Resource: tasks, Condition: inCluster },
    // AWS has nothing narrower than the condition: it lists by container instance.
    { Effect: 'Allow', Action: 'ecs:ListTasks', Resource: '*', Condition: inCluster },
    {
      Effect: 'Allow',
      Action: 'ecs:TagResource',
      Resource: tasks,
      Condition: { StringEquals: { 'ecs:CreateAction': 'RunTask' } },
    },
    // AWS has nothing narrower.
    { Effect: 'Allow', Action: 'ecs:DescribeTaskDefinition', Resource: '*' },
    {
      Effect: 'Allow',
      Action: 'iam:PassRole',
      Resource: several(may.executionRole, roles),
      Condition: { StringEquals: { 'iam:PassedToService': TASKS } },
    },
    {
      Effect: 'Allow',
      Action: 'logs:GetLogEvents',
      Resource: several(
        `${may.logGroup}:*`,
        logGroups.map((group) => `${group}:*`),
      ),
    },
    ...objects(may),
    ...models,
    ...(may.workspaces === undefined ? [] : workspaceStatements({ ...may.workspaces, cluster: may.cluster })),
  );
}

/** AWS writes one alone without brackets, and so do we. */
function several(one: string, more: string[]): string | string[] {
  return more.length === 0 ? one : [one, ...more];
}

export interface SweeperMay {
  cluster: string;
  /** Of the runtime's task definition, without its revision. */
  taskFamily: string;
  /** Both that the runtime's task has. */
  taskRoles: string[];
  logGroup: string;
}

/** To run the runtime once more, see it end, and say so; and to deregister revisions that nothing names any more. */
export function sweeperPolicy(may: SweeperMay): PolicyDocument {
  const inCluster = { ArnEquals: { 'ecs:cluster': may.cluster } };
  const tasks = `${may.cluster.replace(':cluster/', ':task/')}/*`;
  return policy(
    { Effect: 'Allow', Action: 'ecs:RunTask', Resource: `${may.taskFamily}:*`, Condition: inCluster },
    { Effect: 'Allow', Action: 'ecs:DescribeTasks', Resource: tasks, Condition: inCluster },
    // AWS has nothing narrower than the condition: it lists by container instance.
    { Effect: 'Allow', Action: 'ecs:ListTasks', Resource: '*', Condition: inCluster },
    // AWS has nothing narrower.
    {
      Effect: 'Allow',
      Action: ['ecs:ListTaskDefinitionFamilies', 'ecs:ListTaskDefinitions', 'ecs:DeregisterTaskDefinition'],
      Resource: '*',
    },
    {
      Effect: 'Allow',
      Action: 'iam:PassRole',
      Resource: may.taskRoles,
      Condition: { StringEquals: { 'iam:PassedToService': TASKS } },
    },
    {
      Effect: 'Allow',
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      Resource: `${may.logGroup}:*`,
    },
  );
}

function objects({ bucket, prefix }: RuntimeMay): Statement[] {
  return [
    {
      Effect: 'Allow',
      Action: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'],
      Resource: `${bucket}/${prefix}/*`,
    },
    {
      Effect: 'Allow',
      Action: 's3:ListBucket',
      Resource: bucket,
      // Whoever may list is told that an object is missing, and not that it is forbidden: then there is no prefix.
      Condition: { StringLikeIfExists: { 's3:prefix': [prefix, `${prefix}/*`] } },
    },
  ];
}

/** Models of one region, directly or by the account's inference profiles there, which may pass on to other regions. */
export function invokeModels(of: { partition: string; region: string; account: string }): PolicyDocument {
  const Action = ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'];
  const arn = (region: string, account: string, what: string) =>
    `arn:${of.partition}:bedrock:${region}:${account}:${what}/*`;
  const profiles = arn(of.region, of.account, 'inference-profile');
  return policy(
    { Effect: 'Allow', Action, Resource: [arn(of.region, '', 'foundation-model'), profiles] },
    {
      Effect: 'Allow',
      Action,
      Resource: arn('*', '', 'foundation-model'),
      Condition: { StringLike: { 'bedrock:InferenceProfileArn': profiles } },
    },
  );
}

/** Of a bucket: nobody speaks to it in the clear. */
export function tlsOnly(bucket: string): PolicyDocument {
  return policy({
    Effect: 'Deny',
    Principal: '*',
    Action: 's3:*',
    Resource: [bucket, `${bucket}/*`],
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  });
}
