import { list, object, several, text } from './reading.ts';
import type { Check, Props, ResourceRule } from './rule.ts';

/** Actions that AWS can't narrow to a resource. */
const WITHOUT_RESOURCE: Readonly<Record<string, string>> = {
  'ecr:GetAuthorizationToken': "the token is of the account's registry",
  'ecs:DescribeTaskDefinition': 'it has no resource',
  'ecs:DeregisterTaskDefinition': 'it has no resource',
  'ecs:ListTaskDefinitionFamilies': 'it has no resource',
  'ecs:ListTaskDefinitions': 'it has no resource',
  'ecs:RegisterTaskDefinition': 'it has no resource; a condition names a tag',
  'ecs:ListTasks': 'it lists by container instance; a condition names the cluster',
};

/** The statements of a policy that allow something. */
function allowed(policy: unknown): Props[] {
  const document = typeof policy === 'string' ? JSON.parse(policy) : policy;
  return several(object(document).Statement)
    .map(object)
    .filter(({ Effect }) => Effect === 'Allow');
}

const words = (value: unknown): string[] => several(value).map(text);

function ofStatement(statement: Props): string[] {
  const actions = words(statement.Action);
  const resources = words(statement.Resource);
  const problems = actions
    .filter((action) => action.includes('*'))
    .map((action) => `The policy allows ${action}`);
  if (statement.NotAction !== undefined) problems.push('The policy allows everything but some actions');
  if (statement.NotResource !== undefined)
    problems.push('The policy allows it on everything but some resources');
  if (resources.includes('*'))
    problems.push(
      ...actions
        .filter((action) => !action.includes('*') && !(action in WITHOUT_RESOURCE))
        .map((action) => `The policy allows ${action} on every resource`),
    );
  if (actions.includes('iam:PassRole')) problems.push(...ofPassRole(resources, object(statement.Condition)));
  return problems;
}

function ofPassRole(resources: string[], condition: Props): string[] {
  const toService = Object.values(condition).some((test) => 'iam:PassedToService' in object(test));
  return [
    ...resources.filter((arn) => arn.includes('*')).map((arn) => `The policy passes on any role of ${arn}`),
    ...(toService ? [] : ['The policy passes on a role to any service']),
  ];
}

const ofIdentity: Check = ({ policy }) => allowed(policy).flatMap(ofStatement);

/** AWS' own policies that allow nearly all. */
const BROAD = /:policy\/(.*\/)?(AdministratorAccess|PowerUserAccess|IAMFullAccess|\w+FullAccess)$/;

const ofAttached = (arns: unknown): string[] =>
  words(arns)
    .filter((arn) => BROAD.test(arn))
    .map((arn) => `The role has ${arn}`);

const isAnyone = (principal: unknown): boolean =>
  principal === '*' || Object.values(object(principal)).some((value) => words(value).includes('*'));

const ofRole: Check = ({ assumeRolePolicy, inlinePolicies, managedPolicyArns }) => [
  ...allowed(assumeRolePolicy)
    .filter(({ Principal }) => isAnyone(Principal))
    .map(() => 'Anyone may assume the role'),
  ...list(inlinePolicies).flatMap((inline) => ofIdentity(object(inline))),
  ...ofAttached(managedPolicyArns),
];

/** Of a policy on a thing: whoever is not named there must at least be of a certain account, or the like. */
const ofThing =
  (what: string): Check =>
  ({ policy }) =>
    policy === undefined
      ? []
      : allowed(policy)
          .filter(({ Principal, Condition }) => isAnyone(Principal) && Condition === undefined)
          .map(() => `Anyone may use ${what}`);

/** An endpoint is for whoever can reach it; its policy says what they may carry through it. */
const ofEndpoint: Check = ({ policy }) => {
  const problem = 'Anything of any account can be carried through the endpoint';
  if (policy === undefined) return [problem];
  return allowed(policy)
    .filter(({ Resource, Condition }) => words(Resource).includes('*') && Condition === undefined)
    .map(() => problem);
};

export const leastPrivilege: ResourceRule = {
  name: 'least-privilege',
  description: 'Policies name the actions and the resources that are needed, and who may use them.',
  level: 'mandatory',
  fix: 'Write out the actions and the ARNs; pass roles by their ARN, with a condition on iam:PassedToService',
  checks: {
    'aws:iam/policy:Policy': ofIdentity,
    'aws:iam/rolePolicy:RolePolicy': ofIdentity,
    'aws:iam/userPolicy:UserPolicy': ofIdentity,
    'aws:iam/groupPolicy:GroupPolicy': ofIdentity,
    'aws:iam/role:Role': ofRole,
    'aws:iam/rolePolicyAttachment:RolePolicyAttachment': ({ policyArn }) => ofAttached(policyArn),
    'aws:s3/bucketPolicy:BucketPolicy': ofThing('the bucket'),
    'aws:efs/fileSystemPolicy:FileSystemPolicy': ofThing('the file system'),
    'aws:secretsmanager/secretPolicy:SecretPolicy': ofThing('the secret'),
    'aws:ecr/repositoryPolicy:RepositoryPolicy': ofThing('the registry'),
    'aws:ec2/vpcEndpoint:VpcEndpoint': ofEndpoint,
  },
};
