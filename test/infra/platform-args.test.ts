import { output } from '@pulumi/pulumi';
import { describe, expect, it } from 'vitest';
import { argsProblems, type PlatformArgs } from '../../infra/platform-args.ts';

const later = output('known later');
const ECS: PlatformArgs = { platform: 'ecs', certificateArn: later };
const keys = (args: PlatformArgs) => argsProblems(args).map(({ key }) => key);

describe('arguments that come to be known later', () => {
  it.each<[string, Partial<PlatformArgs>]>([
    ['what is there already', { hostedZoneId: later, hostname: 'a.example.com', alarmTopicArn: later }],
    ['a network', { vpcId: later, subnetIds: output(['a', 'b']) }],
    ['single subnets', { vpcId: Promise.resolve('vpc'), subnetIds: [later, later] }],
    ['some of the subnets', { vpcId: later, subnetIds: [later, 'subnet-0abc1234'] }],
    ['a key', { anthropicApiKey: later }],
  ])('may be %s', (_, args) => expect(keys({ ...ECS, ...args })).toEqual([]));

  it('are looked at as far as they are known', () => {
    expect(keys({ ...ECS, vpcId: later, subnetIds: [later, 'not-a-subnet'] })).toEqual(['subnetIds']);
    expect(keys({ ...ECS, vpcId: later, subnetIds: [later] })).toEqual(['subnetIds']);
    expect(keys({ ...ECS, vpcId: later, subnetIds: [] })).toEqual(['subnetIds']);
  });

  it('may not be what decides how much is made', () => {
    const wrong = { maxContainers: later, warmPoolMin: later } as unknown as Partial<PlatformArgs>; // the cast: a program in JavaScript
    expect(keys({ ...ECS, ...wrong })).toEqual(['warmPoolMin', 'maxContainers']);
  });
});
