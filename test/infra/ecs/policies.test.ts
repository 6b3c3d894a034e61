import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  executionPolicy,
  invokeModels,
  runtimePolicy,
  sweeperPolicy,
  tlsOnly,
  trustFunctions,
  trustRole,
  trustTasks,
} from '../../../infra/ecs/policies.ts';
import type { PolicyDocument, Statement } from '../../../infra/ecs/policy-document.ts';

const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/agents';
const RUNTIME = {
  cluster: CLUSTER,
  taskFamily: 'arn:aws:ecs:eu-west-1:123456789012:task-definition/workspace-agent',
  executionRole: 'arn:aws:iam::123456789012:role/execution',
  logGroup: 'arn:aws:logs:eu-west-1:123456789012:log-group:/ecs/workspace-agent',
  bucket: 'arn:aws:s3:::files',
  prefix: 'berth',
  bedrockRole: 'arn:aws:iam::123456789012:role/bedrock',
  workspaces: {
    installation: 'agents',
    taskFamily: 'arn:aws:ecs:eu-west-1:123456789012:task-definition/workspace',
    executionRole: 'arn:aws:iam::123456789012:role/workspace-execution',
    fileSystem: 'arn:aws:elasticfilesystem:eu-west-1:123456789012:file-system/fs-0abc1234',
  },
};
const EXECUTION = {
  repositories: ['arn:aws:ecr:eu-west-1:123456789012:repository/agents/runtime'],
  logGroup: 'arn:aws:logs:eu-west-1:123456789012:log-group:/ecs/agents/runtime',
  secrets: ['arn:aws:secretsmanager:eu-west-1:123456789012:secret:one'],
};
const SWEEPER = {
  cluster: CLUSTER,
  taskFamily: 'arn:aws:ecs:eu-west-1:123456789012:task-definition/agents-runtime',
  taskRoles: ['arn:aws:iam::123456789012:role/execution', 'arn:aws:iam::123456789012:role/runtime'],
  logGroup: 'arn:aws:logs:eu-west-1:123456789012:log-group:/ecs/agents/sweeper',
};
const MODELS = { partition: 'aws', region: 'eu-west-1', account: '123456789012' };

/** By command of the SDK: what AWS asks the caller's policies for. */
const WANTED_BY: Record<string, string[]> = {
  RunTask: ['ecs:RunTask', 'ecs:TagResource', 'iam:PassRole'],
  StopTask: ['ecs:StopTask'],
  DescribeTasks: ['ecs:DescribeTasks'],
  ListTasks: ['ecs:ListTasks'],
  DescribeTaskDefinition: ['ecs:DescribeTaskDefinition'],
  RegisterTaskDefinition: ['ecs:RegisterTaskDefinition', 'ecs:TagResource', 'iam:PassRole'],
  ListTaskDefinitionFamilies: ['ecs:ListTaskDefinitionFamilies'],
  ListTaskDefinitions: ['ecs:ListTaskDefinitions'],
  DeregisterTaskDefinition: ['ecs:DeregisterTaskDefinition'],
  CreateAccessPoint: ['elasticfilesystem:CreateAccessPoint', 'elasticfilesystem:TagResource'],
  DescribeAccessPoints: ['elasticfilesystem:DescribeAccessPoints'],
  DeleteAccessPoint: ['elasticfilesystem:DeleteAccessPoint'],
  GetLogEvents: ['logs:GetLogEvents'],
  GetObject: ['s3:GetObject'],
  HeadObject: ['s3:GetObject'],
  PutObject: ['s3:PutObject'],
  CreateMultipartUpload: ['s3:PutObject'],
  UploadPart: ['s3:PutObject'],
  CompleteMultipartUpload: ['s3:PutObject'],
  AbortMultipartUpload: ['s3:AbortMultipartUpload'],
  DeleteObjects: ['s3:DeleteObject'],
  ListObjectsV2: ['s3:ListBucket'],
  AssumeRole: ['sts:AssumeRole'],
};

const granting: [string, PolicyDocument][] = [
  ['the runtime', runtimePolicy(RUNTIME)],
  ['the execution of a task', executionPolicy(EXECUTION)],
  ['the sweeper', sweeperPolicy(SWEEPER)],
  ['the role for models', invokeModels(MODELS)],
];
const actionsOf = ({ Action }: Statement) => (Array.isArray(Action) ? Action : [Action]);

describe('what the runtime may', () => {
  it('is what the guide tells, and its files, and the role for models', () => {
    const guide = readFileSync(new URL('../../../docs/guides/ecs.md', import.meta.url), 'utf8');
    const [told = [], ofWorkspaces = []] = [...guide.matchAll(/```json\n(\[[\s\S]+?\])\n```/g)].map(
      ([, json = '']): object[] => {
        const statements: object[] = JSON.parse(
          json
            .replaceAll('REGION', 'eu-west-1')
            .replaceAll('ACCOUNT', '123456789012')
            .replaceAll('CLUSTER_ARN', CLUSTER)
            .replaceAll('task/CLUSTER/', 'task/agents/')
            .replaceAll('WORKSPACE_EXECUTION_ROLE_ARN', RUNTIME.workspaces.executionRole)
            .replaceAll('EXECUTION_ROLE_ARN', RUNTIME.executionRole)
            .replaceAll('INSTALLATION', RUNTIME.workspaces.installation)
            .replaceAll('FILE_SYSTEM', 'fs-0abc1234'),
        );
        return statements.map((statement) => ({ Effect: 'Allow', ...statement }));
      },
    );
    const { Statement } = runtimePolicy(RUNTIME);
    const rest = Statement.length - ofWorkspaces.length;
    expect(ofWorkspaces.length).toBeGreaterThan(0);
    expect(Statement.slice(0, told.length)).toEqual(told);
    expect(Statement.slice(rest)).toEqual(ofWorkspaces);
    expect(Statement.slice(told.length, rest).flatMap(actionsOf)).toEqual([
      's3:GetObject',
      's3:PutObject',
      's3:DeleteObject',
      's3:AbortMultipartUpload',
      's3:ListBucket',
      'sts:AssumeRole',
    ]);
  });

  it('is what the commands of AWS that its sources send want, each of them, and nothing else', () => {
    const sources = globSync('runtime/**/*.ts', { cwd: new URL('../../..', import.meta.url) });
    const commands = sources.flatMap((file) => {
      const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
      return source.includes("'@aws-sdk/") ? [...source.matchAll(/new (\w+)Command\(/g)] : [];
    });
    const wanted = commands.flatMap(([, command = '']) => WANTED_BY[command] ?? `unknown: ${command}`);
    const allowed = runtimePolicy(RUNTIME).Statement.flatMap(actionsOf);
    expect([...new Set(wanted)].sort()).toEqual([...new Set(allowed)].sort());
  });

  it('is to read and write below its prefix of the bucket only', () => {
    const [objects, list] = runtimePolicy(RUNTIME).Statement.filter((each) =>
      actionsOf(each).some((action) => action.startsWith('s3:')),
    );
    expect(objects?.Resource).toBe('arn:aws:s3:::files/berth/*');
    expect(list).toMatchObject({
      Resource: 'arn:aws:s3:::files',
      Condition: { StringLikeIfExists: { 's3:prefix': ['berth', 'berth/*'] } },
    });
  });

  it('is to run the tasks of functions, too, with their roles, and to read what they print', () => {
    const arn = (family: string) => `arn:aws:ecs:eu-west-1:123456789012:task-definition/${family}`;
    const functions = {
      taskDefinitions: [arn('resize:7'), arn('hello')],
      roles: ['arn:aws:iam::123456789012:role/functions'],
      logGroups: ['arn:aws:logs:eu-west-1:123456789012:log-group:/functions'],
    };
    const { workspaces: _, ...without } = RUNTIME;
    const { Statement } = runtimePolicy({ ...without, functions });
    const resourcesOf = (action: string) =>
      Statement.filter((each) => actionsOf(each).includes(action)).map(({ Resource }) => Resource);
    expect(resourcesOf('ecs:RunTask')).toEqual([
      [`${RUNTIME.taskFamily}:*`, arn('resize:7'), `${arn('hello')}:*`],
    ]);
    expect(resourcesOf('iam:PassRole')).toEqual([[RUNTIME.executionRole, ...functions.roles]]);
    expect(resourcesOf('logs:GetLogEvents')).toEqual([
      [`${RUNTIME.logGroup}:*`, `${functions.logGroups[0]}:*`],
    ]);
  });

  it('is to make definitions and access points of its own installation only, and to delete no others', () => {
    const tagged = (key: string) =>
      runtimePolicy(RUNTIME)
        .Statement.filter(({ Condition }) => Condition?.StringEquals?.[key] === 'agents')
        .flatMap(actionsOf);
    expect(tagged('aws:RequestTag/berth.installation')).toEqual([
      'ecs:RegisterTaskDefinition',
      'elasticfilesystem:CreateAccessPoint',
      'elasticfilesystem:TagResource',
    ]);
    expect(tagged('aws:ResourceTag/berth.installation')).toEqual(['elasticfilesystem:DeleteAccessPoint']);
    const { workspaces: _, ...without } = RUNTIME;
    const actions = runtimePolicy(without).Statement.flatMap(actionsOf);
    expect(actions.filter((action) => action.startsWith('elasticfilesystem:'))).toEqual([]);
  });

  it('is to assume no role where there are no models', () => {
    const actions = runtimePolicy({ ...RUNTIME, bedrockRole: undefined }).Statement.flatMap(actionsOf);
    expect(actions).not.toContain('sts:AssumeRole');
  });
});

describe('what the sweeper may', () => {
  it("is to run the runtime's task in the cluster with its roles, to see tasks there, to deregister, and to write its log", () => {
    const inCluster = { ArnEquals: { 'ecs:cluster': CLUSTER } };
    expect(sweeperPolicy(SWEEPER).Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'ecs:RunTask',
        Resource: `${SWEEPER.taskFamily}:*`,
        Condition: inCluster,
      },
      {
        Effect: 'Allow',
        Action: 'ecs:DescribeTasks',
        Resource: 'arn:aws:ecs:eu-west-1:123456789012:task/agents/*',
        Condition: inCluster,
      },
      { Effect: 'Allow', Action: 'ecs:ListTasks', Resource: '*', Condition: inCluster },
      {
        Effect: 'Allow',
        Action: ['ecs:ListTaskDefinitionFamilies', 'ecs:ListTaskDefinitions', 'ecs:DeregisterTaskDefinition'],
        Resource: '*',
      },
      {
        Effect: 'Allow',
        Action: 'iam:PassRole',
        Resource: SWEEPER.taskRoles,
        Condition: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
      },
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: `${SWEEPER.logGroup}:*`,
      },
    ]);
  });
});

describe('policies', () => {
  it.each(granting)('%s has no action with a wildcard', (_, { Statement }) => {
    expect(Statement.flatMap(actionsOf).filter((action) => action.includes('*'))).toEqual([]);
  });

  it.each(granting)('%s has every resource only where AWS has nothing narrower', (_, { Statement }) => {
    const everything = Statement.filter(({ Resource }) => Resource === undefined || Resource === '*');
    const narrowest = [
      'ecr:GetAuthorizationToken',
      'ecs:DescribeTaskDefinition',
      'ecs:ListTasks',
      'ecs:RegisterTaskDefinition',
      'ecs:ListTaskDefinitionFamilies',
      'ecs:ListTaskDefinitions',
      'ecs:DeregisterTaskDefinition',
    ];
    expect(everything.flatMap(actionsOf).filter((action) => !narrowest.includes(action))).toEqual([]);
  });

  it('a task without secrets may read none', () => {
    const { Statement } = executionPolicy({ ...EXECUTION, secrets: [] });
    expect(Statement.flatMap(actionsOf)).not.toContain('secretsmanager:GetSecretValue');
  });

  it('a role of tasks is handed to tasks of this account and region alone', () => {
    expect(trustTasks(CLUSTER).Statement).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: 'ecs-tasks.amazonaws.com' },
        Action: 'sts:AssumeRole',
        Condition: {
          StringEquals: { 'aws:SourceAccount': '123456789012' },
          ArnLike: { 'aws:SourceArn': 'arn:aws:ecs:eu-west-1:123456789012:*' },
        },
      },
    ]);
    expect(trustFunctions().Statement).toMatchObject([{ Principal: { Service: 'lambda.amazonaws.com' } }]);
    expect(trustRole('arn:runtime').Statement).toMatchObject([{ Principal: { AWS: 'arn:runtime' } }]);
  });

  it('models of other regions are invoked only by a profile of this one', () => {
    const [here, elsewhere] = invokeModels(MODELS).Statement;
    expect(here?.Resource).toEqual([
      'arn:aws:bedrock:eu-west-1::foundation-model/*',
      'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/*',
    ]);
    expect(elsewhere?.Condition).toEqual({
      StringLike: {
        'bedrock:InferenceProfileArn': 'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/*',
      },
    });
  });

  it('a bucket refuses whoever speaks in the clear', () => {
    expect(tlsOnly('arn:aws:s3:::files').Statement).toMatchObject([
      {
        Effect: 'Deny',
        Principal: '*',
        Resource: ['arn:aws:s3:::files', 'arn:aws:s3:::files/*'],
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ]);
  });
});
