import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ComponentResource, output } from '@pulumi/pulumi';
import { beforeEach, describe, expect, it } from 'vitest';
import { type EcsPlace, ecsPlace } from '../../../infra/ecs/ecs-place.ts';
import { givenNetwork, givenSubnetsProblems } from '../../../infra/ecs/given-network.ts';
import { ownNetwork, type WayOut } from '../../../infra/ecs/own-network.ts';
import { outcome } from '../registered.ts';
import { recordAws, settled, zonesOf } from './aws-mocks.ts';

const SUBNET = 'aws:ec2/subnet:Subnet';
const ROUTE = 'aws:ec2/route:Route';
const NAT = 'aws:ec2/natGateway:NatGateway';

const aws = recordAws();
beforeEach(() => {
  aws.resources.splice(0);
  aws.zones = zonesOf('abc');
});

const place = (): EcsPlace => ecsPlace('agents', new ComponentResource('test:index:Parent', 'parent'));
const names = (type: string) =>
  aws
    .of(type)
    .map(({ name }) => name)
    .sort();

async function own(
  waysOut: WayOut[],
  { range = '10.20.0.0/16', proxyApart = false, storesStay = true } = {},
) {
  const network = ownNetwork({ place: place(), range, waysOut, proxyApart, storesStay });
  await settled();
  return network;
}

describe('a network of its own', () => {
  it('has private subnets over the zones, each with its own part of the range', async () => {
    const network = await own([]);
    const subnets = aws.of(SUBNET);
    expect(
      subnets.map(({ name, inputs }) => [name, inputs.cidrBlock, inputs.availabilityZone]).sort(),
    ).toEqual([
      ['agents-services-0', '10.20.192.0/22', 'us-east-1a'],
      ['agents-services-1', '10.20.196.0/22', 'us-east-1b'],
      ['agents-tasks-0', '10.20.0.0/18', 'us-east-1a'],
      ['agents-tasks-1', '10.20.64.0/18', 'us-east-1b'],
      ['agents-tasks-2', '10.20.128.0/18', 'us-east-1c'],
    ]);
    expect(subnets.filter(({ inputs }) => inputs.mapPublicIpOnLaunch !== false)).toEqual([]);
    expect(await outcome(network.taskSubnets)).toHaveLength(3);
    expect(await outcome(network.serviceRanges)).toEqual(['10.20.192.0/22', '10.20.196.0/22']);
  });

  it('goes round in a region of two zones', async () => {
    aws.zones = zonesOf('ab');
    await own([]);
    expect(aws.named(SUBNET, 'agents-tasks-2').inputs.availabilityZone).toBe('us-east-1a');
  });

  it('has the range that it is given, and every subnet in it', async () => {
    const network = await own(['proxy'], { range: '172.31.0.0/16', proxyApart: true });
    expect(aws.named('aws:ec2/vpc:Vpc', 'agents').inputs.cidrBlock).toBe('172.31.0.0/16');
    const ranges = aws.of(SUBNET).map(({ inputs }) => inputs.cidrBlock);
    expect(ranges).toHaveLength(9);
    for (const range of ranges) expect(range).toMatch(/^172\.31\./);
    expect(await outcome(network.serviceRanges)).toEqual(['172.31.192.0/22', '172.31.196.0/22']);
  });

  it('is in no local zone, and in none without Fargate', async () => {
    aws.zones = [
      { name: 'us-east-1-bos-1a', id: 'use1-bos1-az1', local: true },
      { name: 'us-east-1e', id: 'use1-az3' },
      ...zonesOf('ab'),
    ];
    await own([]);
    const zones = new Set(aws.of(SUBNET).map(({ inputs }) => inputs.availabilityZone));
    expect([...zones].sort()).toEqual(['us-east-1a', 'us-east-1b']);
  });

  it('leaves its subnets where they are when the zones of the region change', async () => {
    await own(['proxy'], { proxyApart: true });
    for (const { name, ignored } of aws.of(SUBNET))
      expect([name, ignored]).toEqual([name, ['availabilityZone']]);
  });

  it('has no gateway at all where nobody needs one', async () => {
    await own([]);
    expect([...names(NAT), ...names(ROUTE), ...names('aws:ec2/internetGateway:InternetGateway')]).toEqual([]);
  });

  it('has a gateway in each of two zones, that the subnets with a way out are routed to', async () => {
    await own(['tasks']);
    expect(names(NAT)).toEqual(['agents-nat-0', 'agents-nat-1']);
    expect(names(ROUTE)).toEqual([
      'agents-public-0-out',
      'agents-public-1-out',
      'agents-tasks-0-out',
      'agents-tasks-1-out',
      'agents-tasks-2-out',
    ]);
    expect(aws.named(ROUTE, 'agents-tasks-2-out').inputs.natGatewayId).toBe('agents-nat-0-id');
  });

  it('in strict mode lets only the subnets of the proxy out', async () => {
    await own(['proxy'], { proxyApart: true });
    expect(names(ROUTE).filter((name) => !name.includes('public'))).toEqual([
      'agents-proxy-0-out',
      'agents-proxy-1-out',
    ]);
  });

  it('closes the security group of those who name none', async () => {
    await own([]);
    const { inputs } = aws.named('aws:ec2/defaultSecurityGroup:DefaultSecurityGroup', 'agents');
    expect([inputs.ingress, inputs.egress]).toEqual([[], []]);
  });

  it('stays where stores stay that stand in it, and goes with them', async () => {
    await own([]);
    const kept = () => aws.resources.filter(({ retained }) => retained).map(({ name }) => name);
    expect(kept().sort()).toEqual(['agents', 'agents-services-0', 'agents-services-1']);
    aws.resources.splice(0);
    await own([], { storesStay: false });
    expect(kept()).toEqual([]);
  });
});

describe('a network that is given', () => {
  const VPC = 'vpc-0abc1234';
  const found = (id: string, cidrBlock: string, availabilityZone: string) => ({
    id,
    cidrBlock,
    availabilityZone,
    vpcId: VPC,
    mapPublicIpOnLaunch: false,
  });
  const A = found('subnet-0000000a', '10.9.0.0/24', 'us-east-1a');
  const B = found('subnet-0000000b', '10.9.1.0/24', 'us-east-1b');

  it('is used for everything, as it is', async () => {
    aws.subnets = [A, B];
    const both = [A.id, B.id];
    const network = givenNetwork({
      place: place(),
      vpcId: VPC,
      subnetIds: both,
      maxContainers: 298,
      instances: 8,
      functions: false,
    });
    expect(await outcome(network.taskSubnets)).toEqual(both);
    expect(await outcome(network.range)).toBe('10.9.0.0/16');
    expect(aws.resources.filter(({ type }) => type.startsWith('aws:'))).toEqual([]);
  });

  it.each([
    ['each', [output(A.id), output(B.id)]],
    ['all of them', output([A.id, B.id])],
  ])('may come from other resources: %s', async (_, subnetIds) => {
    aws.subnets = [A, B];
    const given = { vpcId: output(VPC), subnetIds, maxContainers: 10, instances: 8, functions: false };
    const network = givenNetwork({ place: place(), ...given });
    expect(await outcome(network.taskSubnets)).toEqual([A.id, B.id]);
    expect(await outcome(network.vpcId)).toBe(VPC);
  });

  it('ends the program of a platform that it is too small for, before anything is registered', async () => {
    const program = fileURLToPath(new URL('too-small.program.ts', import.meta.url));
    const run = (maxContainers: string) =>
      promisify(execFile)(process.execPath, [program, maxContainers]).then(
        (made) => ({ ...made, code: 0 }),
        (failed) => failed,
      );
    const [made, refused] = await Promise.all([run('298'), run('299')]);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(Number(made.stdout)).toBeGreaterThan(100);
    expect(refused).toMatchObject({ code: 1, stdout: '0\n' });
    expect(refused.stderr).toContain(
      "RunError: The platform can't be made like this:\n  maxContainers wants at most 298 in the subnets 10.9.0.0/24, 10.9.1.0/24",
    );
  });

  it.each([
    ['too many containers', [A, B], 299, 'at most 298 in the subnets'],
    ['a subnet of another network', [A, { ...B, vpcId: 'vpc-1' }], 1, 'which is of vpc-1'],
    ['a public subnet', [A, { ...B, mapPublicIpOnLaunch: true }], 1, 'private subnets'],
    ['one subnet', [A], 1, 'in two zones or more'],
    ['two subnets of one zone', [A, { ...B, availabilityZone: A.availabilityZone }], 1, 'one subnet a zone'],
  ])('%s: it is refused', (_, subnets, maxContainers, words) => {
    const problems = givenSubnetsProblems(subnets, {
      vpcId: VPC,
      maxContainers,
      instances: 8,
      functions: false,
    });
    expect(problems.map(({ wants }) => wants)).toEqual([expect.stringContaining(words)]);
  });
});
