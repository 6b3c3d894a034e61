import { Subnet } from '@pulumi/aws/ec2/subnet.js';
import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlatformArgs } from '../../../infra/platform-args.ts';
import { WorkspacePlatform } from '../../../infra/workspace-platform.ts';
import { must } from '../../support/must.ts';
import { outcome } from '../registered.ts';
import { CERTIFICATE, REGION, recordAws, registering } from './aws-mocks.ts';

vi.mock('../../../infra/image-contexts.ts', () => import('../made-image-contexts.ts'));

const VPC = 'vpc-0abc1234';
const GIVEN = { vpcId: VPC, subnetIds: ['subnet-0000000a', 'subnet-0000000b'] };
/** What is told in place of what is not known yet. */
const UNKNOWN = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

const aws = recordAws({ preview: true });
aws.subnets = ['a', 'b'].map((zone, at) => ({
  id: `subnet-0000000${zone}`,
  vpcId: VPC,
  cidrBlock: `10.9.${16 * at}.0/20`,
  availabilityZone: REGION + zone,
  mapPublicIpOnLaunch: false,
}));
beforeAll(() => runtime.setConfig('aws:region', REGION));

async function previewed(name: string, args: PlatformArgs): Promise<string[]> {
  aws.resources.splice(0);
  await registering(() => new WorkspacePlatform(name, args));
  return aws.resources.map(({ type, name }) => `${type} ${name}`);
}

describe('a preview, where nothing is known that is yet to be made', () => {
  it.each<[string, PlatformArgs]>([
    ['Docker', { platform: 'docker' }],
    ['Docker in strict mode', { platform: 'docker', egressMode: 'service' }],
  ])('shows a platform on %s to its end', async (_, args) => {
    const resources = await previewed('agents', args);
    expect(resources).toContain('docker:index/container:Container agents-runtime');
  });

  it.each<[string, Partial<PlatformArgs>]>([
    ['ECS', { bedrockRegion: REGION }],
    ['ECS in strict mode', { egressMode: 'service', hostname: 'berth.example.com', hostedZoneId: 'Z0ABC' }],
    [
      'ECS with hosts for workspaces',
      { workspaceDomain: 'workspaces.example.net', workspaceHostedZoneId: 'Z0ABC' },
    ],
    ['ECS in a network that is given', GIVEN],
    ["ECS with instances of the operator's", { ...GIVEN, capacityProvider: 'mine' }],
    ["ECS with instances of the operator's in a network of its own", { capacityProvider: 'mine' }],
    ['ECS for clients of other networks', { vpcCidr: '10.21.0.0/16', clientRanges: ['10.0.0.0/16'] }],
  ])('shows a platform on %s to its end', async (_, args) => {
    const resources = await previewed('agents', { platform: 'ecs', certificateArn: CERTIFICATE, ...args });
    expect(resources).toContain('aws:ecs/service:Service agents-runtime');
    expect(resources).toContain('aws:cloudwatch/dashboard:Dashboard agents');
    expect(resources).toContain('aws:efs/mountTarget:MountTarget agents-homes-1');
    const { inputs } = aws.named('aws:ecs/service:Service', 'agents-runtime');
    expect(inputs.taskDefinition).toBe(UNKNOWN);
  });

  it('tells the network of a platform on ECS, and none of one on Docker', async () => {
    const ecs: PlatformArgs = { platform: 'ecs', certificateArn: CERTIFICATE, ...GIVEN };
    const made = await registering(() => [
      new WorkspacePlatform('agents', ecs).vpcId,
      new WorkspacePlatform('others', { platform: 'docker' }).vpcId,
    ]);
    expect(await outcome(must(made[0]))).toBe(VPC);
    expect(made[1]).toBeUndefined();
  });

  it('shows a platform in a network that is yet to be made, of which nothing can be asked', async () => {
    aws.resources.splice(0);
    await registering(() => {
      const { id } = new Subnet('mine', { vpcId: VPC });
      const later = { vpcId: id, subnetIds: [id, id] };
      return new WorkspacePlatform('agents', { platform: 'ecs', certificateArn: CERTIFICATE, ...later });
    });
    expect(aws.named('aws:ecs/service:Service', 'agents-runtime').inputs.taskDefinition).toBe(UNKNOWN);
  });

  it.each<[string, Partial<PlatformArgs>]>([
    ['runtimeReplicas wants 2 or more', { runtimeReplicas: 1 }],
    ['egressMode wants sidecar with vpcId', { ...GIVEN, egressMode: 'service' }],
  ])('shows nothing of a platform that can not be: %s', async (words, args) => {
    const made = previewed('agents', { platform: 'ecs', certificateArn: CERTIFICATE, ...args });
    await expect(made).rejects.toThrow(words);
    expect(aws.resources).toEqual([]);
  });
});
