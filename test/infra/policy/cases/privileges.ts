import type { Props } from '../../../../infra/policy/rule.ts';
import type { Cases } from './shapes.ts';

const ROLE = 'arn:aws:iam::123456789012:role/execution';
const policy = (statement: Record<string, unknown>): Props => ({
  policy: JSON.stringify({ Statement: [{ Effect: 'Allow', ...statement }] }),
});
const PASSED = { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } };
const IDENTITY: Pick<Cases, 'passes' | 'fails'> = {
  passes: [
    policy({ Action: 's3:GetObject', Resource: 'arn:aws:s3:::files/*' }),
    policy({ Action: ['ecr:GetAuthorizationToken'], Resource: '*' }),
    policy({ Action: ['ecs:ListTaskDefinitions', 'ecs:DeregisterTaskDefinition'], Resource: '*' }),
    policy({ Action: 'iam:PassRole', Resource: ROLE, Condition: PASSED }),
    policy({ Effect: 'Deny', Action: '*', Resource: '*' }),
  ],
  fails: [
    [policy({ Action: '*', Resource: ROLE }), 'allows *'],
    [policy({ Action: 's3:*', Resource: 'arn:aws:s3:::files' }), 'allows s3:*'],
    [policy({ Action: ['s3:Get*'], Resource: 'arn:aws:s3:::files' }), 'allows s3:Get*'],
    [policy({ Action: 's3:GetObject', Resource: '*' }), 'allows s3:GetObject on every resource'],
    [policy({ Action: 'ecs:RunTask', Resource: '*' }), 'allows ecs:RunTask on every resource'],
    [policy({ NotAction: 'iam:*', Resource: ROLE }), 'everything but'],
    [policy({ Action: 's3:GetObject', NotResource: ROLE }), 'everything but'],
    [policy({ Action: 'iam:PassRole', Resource: `${ROLE}*`, Condition: PASSED }), 'passes on any role'],
    [policy({ Action: 'iam:PassRole', Resource: ROLE }), 'to any service'],
  ],
};
const OF_THING = (what: string): Pick<Cases, 'passes' | 'fails'> => ({
  passes: [
    policy({ Principal: { AWS: ROLE }, Action: 's3:GetObject' }),
    policy({
      Principal: '*',
      Action: 's3:GetObject',
      Condition: { StringEquals: { 'aws:PrincipalAccount': '1' } },
    }),
    policy({ Effect: 'Deny', Principal: '*', Action: 's3:*' }),
  ],
  fails: [
    [policy({ Principal: '*', Action: 's3:GetObject' }), `Anyone may use ${what}`],
    [policy({ Principal: { AWS: ['*'] }, Action: 's3:GetObject' }), `Anyone may use ${what}`],
  ],
});
const trusts = (Principal: unknown): string =>
  JSON.stringify({ Statement: [{ Effect: 'Allow', Principal, Action: 'sts:AssumeRole' }] });

export const PRIVILEGES: Cases[] = [
  { rule: 'least-privilege', type: 'aws:iam/policy:Policy', ...IDENTITY },
  { rule: 'least-privilege', type: 'aws:iam/rolePolicy:RolePolicy', ...IDENTITY },
  { rule: 'least-privilege', type: 'aws:iam/userPolicy:UserPolicy', ...IDENTITY },
  { rule: 'least-privilege', type: 'aws:iam/groupPolicy:GroupPolicy', ...IDENTITY },
  {
    rule: 'least-privilege',
    type: 'aws:iam/role:Role',
    passes: [{ assumeRolePolicy: trusts({ Service: 'ecs-tasks.amazonaws.com' }) }],
    fails: [
      [{ assumeRolePolicy: trusts('*') }, 'Anyone may assume'],
      [{ assumeRolePolicy: trusts({ AWS: '*' }) }, 'Anyone may assume'],
      [{ inlinePolicies: [policy({ Action: 'ecs:*', Resource: ROLE })] }, 'allows ecs:*'],
      [{ managedPolicyArns: ['arn:aws:iam::aws:policy/AmazonS3FullAccess'] }, 'AmazonS3FullAccess'],
    ],
  },
  {
    rule: 'least-privilege',
    type: 'aws:iam/rolePolicyAttachment:RolePolicyAttachment',
    passes: [{ policyArn: 'arn:aws:iam::aws:policy/service-role/AmazonECSTaskExecutionRolePolicy' }],
    fails: [[{ policyArn: 'arn:aws:iam::aws:policy/AdministratorAccess' }, 'AdministratorAccess']],
  },
  { rule: 'least-privilege', type: 'aws:s3/bucketPolicy:BucketPolicy', ...OF_THING('the bucket') },
  {
    rule: 'least-privilege',
    type: 'aws:efs/fileSystemPolicy:FileSystemPolicy',
    ...OF_THING('the file system'),
  },
  {
    rule: 'least-privilege',
    type: 'aws:secretsmanager/secretPolicy:SecretPolicy',
    ...OF_THING('the secret'),
  },
  { rule: 'least-privilege', type: 'aws:ecr/repositoryPolicy:RepositoryPolicy', ...OF_THING('the registry') },
  {
    rule: 'least-privilege',
    type: 'aws:ec2/vpcEndpoint:VpcEndpoint',
    passes: [
      policy({
        Principal: '*',
        Action: '*',
        Resource: '*',
        Condition: { StringEquals: { 'aws:PrincipalAccount': '1' } },
      }),
      policy({ Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::layers/*' }),
    ],
    fails: [
      [{}, 'any account'],
      [policy({ Principal: '*', Action: '*', Resource: '*' }), 'any account'],
    ],
  },
];
