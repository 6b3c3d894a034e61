import { describe, expect, it } from 'vitest';
import type { PlatformArgs } from '../../../infra/platform-args.ts';
import { RESOURCE_RULES, STACK_RULES } from '../../../infra/policy/rules.ts';
import { recordAws } from '../ecs/aws-mocks.ts';
import { RecordedPlatform } from '../ecs/recorded-platform.ts';
import { changedContainer, type Recorded, violations } from './violations.ts';

const aws = recordAws();
aws.subnets = ['a', 'b'].map((zone, at) => ({
  id: `subnet-0abc123${at}`,
  vpcId: 'vpc-0abc1234',
  cidrBlock: `10.9.${at * 64}.0/18`,
  availabilityZone: `us-east-1${zone}`,
  mapPublicIpOnLaunch: false,
}));
const GIVEN = { vpcId: 'vpc-0abc1234', subnetIds: ['subnet-0abc1230', 'subnet-0abc1231'] };

const STACKS: [string, Omit<PlatformArgs, 'platform'>][] = [
  ['with sidecars', {}],
  ['with the egress proxy apart', { egressMode: 'service' }],
  ['in a given network', GIVEN],
  ['on Spot', { capacityProvider: 'FARGATE_SPOT' }],
  ["on a capacity provider of the operator's", { ...GIVEN, capacityProvider: 'instances' }],
  ["on a capacity provider of the operator's, in a network of its own", { capacityProvider: 'instances' }],
  ['with models and hosts of the internet', { bedrockRegion: 'us-east-1', allowedDomains: ['pypi.org'] }],
  ['whose data goes with it', { destroyData: true }],
];

describe('the platform on ECS', () => {
  it.each(STACKS)('%s keeps every rule', async (_, args) => {
    const { resources } = await RecordedPlatform.made(aws, args);
    expect(resources.length).toBeGreaterThan(50);
    expect(violations(resources)).toEqual([]);
  });
});

interface Mutation {
  rule: string;
  type: string;
  name: string;
  /** None: the resource is left out. One that is not there is added. */
  change: ((inputs: Recorded['inputs']) => Recorded['inputs']) | undefined;
}

const TASK = 'aws:ecs/taskDefinition:TaskDefinition';
const inContainer = (change: Record<string, unknown>) => (inputs: Recorded['inputs']) => ({
  containerDefinitions: changedContainer(inputs.containerDefinitions, change),
});
const statement = (change: Record<string, unknown>) => (inputs: Recorded['inputs']) => {
  const { Statement, ...rest } = JSON.parse(inputs.policy);
  return { policy: JSON.stringify({ ...rest, Statement: [...Statement, { Effect: 'Allow', ...change }] }) };
};

const MUTATIONS: Mutation[] = [
  {
    rule: 'no-role-for-agents',
    type: TASK,
    name: 'agents-workspace-agent',
    change: () => ({ taskRoleArn: 'arn:aws:iam::123456789012:role/agents-runtime' }),
  },
  {
    rule: 'no-public-address',
    type: 'aws:ecs/service:Service',
    name: 'agents-runtime',
    change: ({ networkConfiguration }) => ({
      networkConfiguration: { ...networkConfiguration, assignPublicIp: true },
    }),
  },
  {
    rule: 'no-open-ingress',
    type: 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule',
    name: 'agents-clients-to-alb-443-10-20-0-0-16',
    change: () => ({ cidrIpv4: '0.0.0.0/0' }),
  },
  {
    rule: 'no-instance-credentials',
    type: 'aws:ec2/launchTemplate:LaunchTemplate',
    name: 'instances-of-another',
    change: () => ({ metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 } }),
  },
  {
    rule: 'no-secret-in-environment',
    type: TASK,
    name: 'agents-runtime',
    change: inContainer({ environment: [{ name: 'BERTH_SECRET', value: 'ab'.repeat(32) }] }),
  },
  {
    rule: 'encrypted-at-rest',
    type: 'aws:rds/instance:Instance',
    name: 'agents-postgres',
    change: () => ({ storageEncrypted: false }),
  },
  {
    rule: 'encrypted-in-transit',
    type: 'aws:lb/listener:Listener',
    name: 'agents',
    change: () => ({ protocol: 'HTTP' }),
  },
  {
    rule: 'images-by-digest',
    type: TASK,
    name: 'agents-proxy',
    change: inContainer({ image: '123456789012.dkr.ecr.us-east-1.amazonaws.com/agents/proxy-sidecar:0.1.0' }),
  },
  {
    rule: 'logs-expire',
    type: 'aws:cloudwatch/logGroup:LogGroup',
    name: 'agents-workspace-agent',
    change: () => ({ retentionInDays: 0 }),
  },
  {
    rule: 'least-privilege',
    type: 'aws:iam/rolePolicy:RolePolicy',
    name: 'agents-runtime',
    change: statement({ Action: 'iam:PassRole', Resource: '*' }),
  },
  {
    rule: 'contained-containers',
    type: TASK,
    name: 'agents-workspace-agent',
    change: inContainer({ readonlyRootFilesystem: false }),
  },
  {
    rule: 'engine-for-runtime-only',
    type: TASK,
    name: 'agents-workspace-agent',
    change: () => ({ volumes: [{ name: 'engine', hostPath: '/var/run/docker.sock' }] }),
  },
  {
    rule: 'private-buckets',
    type: 'aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock',
    name: 'agents-objects',
    change: undefined,
  },
];

describe('a platform on ECS that is made badly', () => {
  it.each(MUTATIONS)('is caught by $rule', async ({ rule, type, name, change }) => {
    const { resources } = await RecordedPlatform.made(aws, { egressMode: 'service' });
    const there = resources.find((resource) => resource.type === type && resource.name === name);
    const victim: Recorded = there ?? { type, name, inputs: {} };
    const mutated = [...new Set([...resources, victim])].flatMap((resource): Recorded[] =>
      resource !== victim
        ? [resource]
        : change
          ? [{ ...resource, inputs: { ...resource.inputs, ...change(resource.inputs) } }]
          : [],
    );
    const found = violations(mutated);
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map((problem) => problem.split(': ')[0]))).toEqual(new Set([rule]));
  });

  it('is caught by each of the mandatory rules', () => {
    const mandatory = [...RESOURCE_RULES, ...STACK_RULES].filter(({ level }) => level === 'mandatory');
    expect(new Set(MUTATIONS.map(({ rule }) => rule))).toEqual(new Set(mandatory.map(({ name }) => name)));
  });
});
