import { createHash } from 'node:crypto';
import { runtime } from '@pulumi/pulumi';
import { madeOnDocker } from '../made-on-docker.ts';
import { type Registered, type Registry, recordRegistrations, registry } from '../registered.ts';

export interface Aws extends Registry {
  /** What there is in a network that is given. */
  subnets: { id: string; [more: string]: unknown }[];
  zones: Zone[];
}

interface Zone {
  name: string;
  id: string;
  /** One that must be opted into. */
  local?: boolean;
}

/** Ordinary zones of the region, by their letters. */
export const zonesOf = (letters: string): Zone[] =>
  [...letters].map((letter) => ({ name: REGION + letter, id: `zone-${letter}` }));

export const ACCOUNT = '123456789012';
export const REGION = 'us-east-1';
export const CERTIFICATE = `arn:aws:acm:${REGION}:${ACCOUNT}:certificate/0abc1234`;

/**
 * Pulumi registers here what it would with AWS, its options included: once a test file. In a preview nothing is made
 * up: all that AWS would say is unknown.
 */
export function recordAws({ preview = false, stack = 'test' } = {}): Aws {
  const aws: Aws = { subnets: [], zones: zonesOf('abc'), ...registry(recordRegistrations()) };
  const mocks: runtime.Mocks = {
    newResource: ({ type, name, inputs }) => ({
      id: preview ? '' : idOf(type, name),
      state: { ...inputs, ...(preview ? {} : madeUp(type, name, inputs)) },
    }),
    call: ({ token, inputs }) => answer(token, inputs, aws),
  };
  runtime.setMocks(mocks, 'berth', stack, preview);
  return aws;
}

/** Once nothing more is being registered. */
export async function settled(): Promise<void> {
  // The cast: it is there, and only its type is kept back.
  await (runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
}

/** Makes something, and all that it registers. */
export async function registering<T>(make: () => T): Promise<T> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // Pulumi asks for a stack with every promise, and vitest maps each back to its sources
  try {
    const made = make();
    await settled();
    return made;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Ids that look like AWS': some of them are read again. */
export function idOf(type: string, name: string): string {
  const hex = createHash('sha256').update(name).digest('hex').slice(0, 17);
  if (type === 'aws:ec2/subnet:Subnet') return `subnet-${hex}`;
  if (type === 'aws:ec2/securityGroup:SecurityGroup') return `sg-${hex}`;
  if (type === 'aws:efs/fileSystem:FileSystem') return `fs-${hex}`;
  return `${name}-id`;
}

function madeUp(type: string, name: string, inputs: Record<string, unknown>): Record<string, unknown> {
  const arn = (service: string, what: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${what}`;
  switch (type) {
    case 'aws:ecs/cluster:Cluster':
      return { name, arn: arn('ecs', `cluster/${name}`) };
    case 'aws:ecs/taskDefinition:TaskDefinition': {
      const family = arn('ecs', `task-definition/${inputs.family}`);
      return { arn: `${family}:7`, arnWithoutRevision: family };
    }
    case 'aws:iam/role:Role':
      return { name, arn: `arn:aws:iam::${ACCOUNT}:role/${name}` };
    case 'aws:cloudwatch/logGroup:LogGroup':
      return { arn: arn('logs', `log-group:${inputs.name}`) };
    case 'aws:s3/bucket:Bucket':
      return { bucket: `${name}-1a2b3c4`, arn: `arn:aws:s3:::${name}-1a2b3c4` };
    case 'aws:ecr/repository:Repository':
      return {
        arn: arn('ecr', `repository/${inputs.name}`),
        repositoryUrl: `${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com/${inputs.name}`,
        registryId: ACCOUNT,
      };
    case 'docker-build:index:Image':
      return { digest: `sha256:${Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64)}` };
    case 'aws:secretsmanager/secret:Secret':
      return { arn: arn('secretsmanager', `secret:${name}-AbCdEf`) };
    case 'aws:secretsmanager/secretVersion:SecretVersion':
      return { versionId: `version-of-${name}` };
    case 'aws:elasticache/replicationGroup:ReplicationGroup':
      return { configurationEndpointAddress: `clustercfg.${name}.cache.amazonaws.com` };
    case 'aws:efs/fileSystem:FileSystem':
      return { arn: arn('elasticfilesystem', `file-system/${idOf(type, name)}`) };
    case 'aws:rds/instance:Instance':
      return { address: `${name}.rds.amazonaws.com` };
    case 'aws:lb/loadBalancer:LoadBalancer':
      return {
        arn: arn('elasticloadbalancing', `loadbalancer/app/${name}/1`),
        dnsName: `internal-${name}.elb.amazonaws.com`,
        arnSuffix: `app/${name}/1`,
        zoneId: 'Z35SXDOTRQ7X7K',
      };
    case 'aws:lb/targetGroup:TargetGroup':
      return {
        arn: arn('elasticloadbalancing', `targetgroup/${name}/1`),
        arnSuffix: `targetgroup/${name}/1`,
      };
    case 'random:index/randomId:RandomId':
      return { hex: '1a2b3c4d' };
    default:
      return /^(docker|random):/.test(type)
        ? madeOnDocker(type, name)
        : { arn: `arn-of-${name}`, name: inputs.name ?? name };
  }
}

/** Names of the rules that EC2 would not take, since they are there: it knows them by all but what they are said to be for. */
export function rulesTwice(resources: readonly Registered[]): string[] {
  const seen = new Set<string>();
  return resources
    .filter(({ type }) => /^aws:vpc\/securityGroup(In|E)gressRule:/.test(type))
    .filter(({ type, inputs: { description: _, tags: __, ...rule } }) => {
      const identity = JSON.stringify([type, Object.entries(rule).sort()]);
      return seen.size === seen.add(identity).size;
    })
    .map(({ name }) => name);
}

interface ZonesAsked {
  filters?: { name: string; values: string[] }[];
  excludeZoneIds?: string[];
}

/** As AWS tells them: local zones are among them unless it is asked otherwise. */
function zoneNames(zones: readonly Zone[], { filters = [], excludeZoneIds = [] }: ZonesAsked): string[] {
  const optIn = filters.find(({ name }) => name === 'opt-in-status')?.values;
  return zones
    .filter(({ local }) => optIn?.includes(local ? 'opted-in' : 'opt-in-not-required') ?? true)
    .filter(({ id }) => !excludeZoneIds.includes(id))
    .map(({ name }) => name);
}

function answer(token: string, inputs: Record<string, string>, { subnets, zones }: Aws) {
  switch (token) {
    case 'aws:index/getRegion:getRegion':
      return { region: REGION };
    case 'aws:index/getCallerIdentity:getCallerIdentity':
      return { accountId: ACCOUNT };
    case 'aws:index/getPartition:getPartition':
      return { partition: 'aws' };
    case 'aws:index/getAvailabilityZones:getAvailabilityZones':
      return { names: zoneNames(zones, inputs) };
    case 'aws:ec2/getPrefixList:getPrefixList':
      return { id: `pl-of-${inputs.name}` };
    case 'aws:ec2/getVpc:getVpc':
      return { ...inputs, cidrBlock: '10.9.0.0/16' };
    case 'aws:ec2/getSubnet:getSubnet': {
      const found = subnets.find(({ id }) => id === inputs.id);
      if (found === undefined) throw new Error(`There is no subnet ${inputs.id}`);
      return found;
    }
    case 'aws:ecs/getTaskDefinition:getTaskDefinition': {
      const family = inputs.taskDefinition?.split('/')[1]?.split(':')[0];
      const options = { 'awslogs-group': `/functions/${family}`, 'awslogs-region': REGION };
      return {
        ...inputs,
        executionRoleArn: `arn:aws:iam::${ACCOUNT}:role/functions`,
        taskRoleArn: family === 'resize' ? `arn:aws:iam::${ACCOUNT}:role/resize` : '',
        containerDefinitions: JSON.stringify([
          { name: family, logConfiguration: { logDriver: 'awslogs', options } },
          { name: 'quiet' },
        ]),
      };
    }
    case 'aws:ecr/getAuthorizationToken:getAuthorizationToken':
      return { userName: 'AWS', password: 'token-of-the-registry' };
    default:
      throw new Error(`Nobody answers ${token}`);
  }
}
