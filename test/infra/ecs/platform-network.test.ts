import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlatformArgs } from '../../../infra/platform-args.ts';
import { outcome } from '../registered.ts';
import { REGION, recordAws } from './aws-mocks.ts';
import { RecordedPlatform } from './recorded-platform.ts';

const INGRESS = 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule';
const EGRESS = 'aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule';
const TASK = 'aws:ecs/taskDefinition:TaskDefinition';

vi.mock('../../../infra/image-contexts.ts', () => import('../made-image-contexts.ts'));

const aws = recordAws();
const platform = (args?: Omit<PlatformArgs, 'platform'>) => RecordedPlatform.made(aws, args);

const subnet = { vpcId: 'vpc-0abc1234', mapPublicIpOnLaunch: false };
aws.subnets = [
  { ...subnet, id: 'subnet-0000000a', cidrBlock: '10.9.0.0/20', availabilityZone: 'us-east-1a' },
  { ...subnet, id: 'subnet-0000000b', cidrBlock: '10.9.16.0/20', availabilityZone: 'us-east-1b' },
];
const subnetIds = ['subnet-0000000a', 'subnet-0000000b'];
const GIVEN = { vpcId: 'vpc-0abc1234', subnetIds };

beforeAll(() => runtime.setConfig('aws:region', REGION));

describe('the platform on ECS in its network', () => {
  it.each([
    ['FARGATE_SPOT', ['FARGATE', 'FARGATE_SPOT'], ['FARGATE']],
    ['mine', ['FARGATE', 'FARGATE_SPOT', 'mine'], ['FARGATE', 'EC2']],
  ])('runs conversations on %s', async (capacityProvider, providers, compatibilities) => {
    const made = await platform({ ...GIVEN, capacityProvider });
    const { inputs } = made.named('aws:ecs/clusterCapacityProviders:ClusterCapacityProviders', 'agents');
    expect(inputs.capacityProviders).toEqual(providers);
    const { requiresCompatibilities } = made.named(TASK, 'agents-workspace-agent').inputs;
    expect(requiresCompatibilities).toEqual(compatibilities);
    expect(made.config().ECS_CAPACITY_PROVIDER).toBe(capacityProvider);
  });

  it('makes no network, endpoint or route in a network that is given', async () => {
    const made = await platform({ ...GIVEN, allowedDomains: ['none'] });
    const ofNetwork = made.resources.filter(({ type }) => type.startsWith('aws:ec2/'));
    expect(new Set(ofNetwork.map(({ type }) => type))).toEqual(
      new Set(['aws:ec2/securityGroup:SecurityGroup']),
    );
    expect(made.config()).toMatchObject({ ECS_SUBNETS: subnetIds, EGRESS_ALLOWED_DOMAINS: [] });
    expect(made.named(EGRESS, 'agents-tasks-to-pull-endpoints-443').inputs.cidrIpv4).toBe('10.9.0.0/16');
    expect(made.named(INGRESS, 'agents-clients-to-alb-443').inputs.cidrIpv4).toBe('10.9.0.0/16');
  });

  it('has a rule to the endpoints of a network that is given once, with all that it is for', async () => {
    const made = await platform({ ...GIVEN, bedrockRegion: REGION, allowedDomains: ['none'] });
    const toNetwork = made.of(EGRESS).filter(({ inputs }) => inputs.cidrIpv4 === '10.9.0.0/16');
    expect(toNetwork.map(({ name, inputs }) => [name, inputs.description])).toEqual([
      [
        'agents-runtime-to-control-endpoints-443',
        'the runtime runs tasks and assumes a role; images are pulled and logs written',
      ],
      [
        'agents-tasks-to-pull-endpoints-443',
        'images are pulled and logs written; egress proxies call models',
      ],
      [
        'agents-workspaces-to-pull-endpoints-443',
        'images are pulled and logs written; egress proxies call models',
      ],
    ]);
  });

  it('tells its network, which has the range that was asked for and lets in the clients that were', async () => {
    const made = await platform({ vpcCidr: '10.21.0.0/16', clientRanges: ['10.0.0.0/16'] });
    expect(await outcome(made.platform.vpcId)).toBe('agents-id');
    expect(made.named('aws:ec2/vpc:Vpc', 'agents').inputs.cidrBlock).toBe('10.21.0.0/16');
    const byRange = made.of(INGRESS).filter(({ inputs }) => inputs.cidrIpv4 !== undefined);
    expect(byRange.map(({ inputs }) => [inputs.fromPort, inputs.cidrIpv4])).toEqual([[443, '10.0.0.0/16']]);
    expect(await outcome((await platform(GIVEN)).platform.vpcId)).toBe(GIVEN.vpcId);
  });

  it('has a cluster that instances join by its name', async () => {
    expect((await platform()).named('aws:ecs/cluster:Cluster', 'agents').inputs.name).toBe('agents');
  });
});
