import { fileURLToPath } from 'node:url';
import { output } from '@pulumi/pulumi';
import { describe, expect, it } from 'vitest';
import { argsProblems } from '../../infra/argument-problems.ts';
import type { PlatformArgs } from '../../infra/platform-args.ts';
import { ARGUMENT_NAMES, RULES } from '../../infra/platform-rules.ts';
import { tagsIn } from '../../package/schema.ts';
import { VARIABLES } from '../../runtime/contracts/environment.ts';

const later = output('known later');
const ECS: PlatformArgs = { platform: 'ecs', certificateArn: later };
const keys = (args: PlatformArgs) => argsProblems(args).map(({ key }) => key);

const TASK = 'resize=arn:aws:ecs:us-east-1:123456789012:task-definition/resize:7:80';

describe('the words of every argument', () => {
  const tags = tagsIn(fileURLToPath(new URL('../../infra/platform-args.ts', import.meta.url)));

  it.each(ARGUMENT_NAMES)(
    '%s: tell its default, and the example that a wrong one is answered with',
    (name) => {
      expect(tags[name]?.default).toMatch(/\w/);
      const { example } = RULES[name];
      expect(tags[name]?.example).toBe(name === 'version' ? 'the version in package.json' : example);
    },
  );
});

describe('arguments of a network', () => {
  const given = { vpcId: 'vpc-0abc1234', subnetIds: ['subnet-0abc1234', 'subnet-0def5678'] };

  it.each<[Partial<PlatformArgs>, string[]]>([
    [{ vpcCidr: '10.21.0.0/16', clientRanges: ['10.0.0.0/8', '172.16.4.0/22', '100.64.0.0/10'] }, []],
    [{ ...given, clientRanges: ['10.0.0.0/8'], capacityProvider: 'mine' }, []],
    [{ capacityProvider: 'FARGATE_SPOT', runtimeReplicas: 2 }, []],
    [{ capacityProvider: 'mine' }, []],
    [{ capacityProvider: 'FARGATE', egressMode: 'service' }, []],
    [{ clientRanges: ['0.0.0.0/0'] }, ['clientRanges']],
    [{ clientRanges: ['10.0.0.0/8', '8.8.8.0/24'] }, ['clientRanges']],
    [{ clientRanges: ['10.0.0.0/7'] }, ['clientRanges']],
    [{ clientRanges: ['10.1.2.3/16'] }, ['clientRanges']],
    [{ clientRanges: ['10.1.0.0'] }, ['clientRanges']],
    [{ clientRanges: ['10.1.0.0/33'] }, ['clientRanges']],
    [{ clientRanges: ['fd12:3456::/48'] }, ['clientRanges']],
    [{ clientRanges: [] }, ['clientRanges']],
    [{ vpcCidr: '10.21.0.0/17' }, ['vpcCidr']],
    [{ vpcCidr: '10.21.4.0/16' }, ['vpcCidr']],
    [{ vpcCidr: '8.8.0.0/16' }, ['vpcCidr']],
    [{ ...given, vpcCidr: '10.21.0.0/16' }, ['vpcCidr']],
    [{ ...given, egressMode: 'service' }, ['egressMode']],
    [{ runtimeReplicas: 1 }, ['runtimeReplicas']],
    [{ functionTaskDefinitions: [TASK] }, []],
    [{ functionTaskDefinitions: [] }, ['functionTaskDefinitions']],
    [{ functionTaskDefinitions: [TASK, TASK] }, ['functionTaskDefinitions']],
    [{ functionTaskDefinitions: [TASK.replace(/:80$/, ':http')] }, ['functionTaskDefinitions']],
    [{ functionTaskDefinitions: ['resize'] }, ['functionTaskDefinitions']],
  ])('%o: wrong are %o', (args, wrong) => expect(keys({ ...ECS, ...args })).toEqual(wrong));
});

describe('sizes of the warm pool', () => {
  it.each<[PlatformArgs, string[]]>([
    [{ ...ECS, warmPoolMin: 120 }, []],
    [{ ...ECS, warmPoolMin: 150 }, ['warmPoolMin']],
    [{ ...ECS, warmPoolMin: 150, warmPoolMax: 300 }, []],
    [{ ...ECS, warmPoolMax: 10 }, ['warmPoolMax']],
    [{ ...ECS, warmPoolMin: 0, warmPoolMax: 10 }, []],
    [{ ...ECS, warmPoolMin: 3, warmPoolMax: 2 }, ['warmPoolMax']],
    [{ platform: 'docker', warmPoolMin: 10 }, []],
    [{ platform: 'docker', warmPoolMin: 11 }, ['warmPoolMin']],
    [{ platform: 'docker', warmPoolMax: 1 }, ['warmPoolMax']],
    [{ platform: 'docker', warmPoolMin: 0, warmPoolMax: 0 }, []],
  ])('%o: wrong are %o', (args, wrong) => expect(keys(args)).toEqual(wrong));

  it('are told both, with one that can be', () => {
    expect(argsProblems({ ...ECS, warmPoolMin: 150 })).toEqual([
      {
        key: 'warmPoolMin',
        wants: 'at most warmPoolMax, which is 120 unless it is given',
        example: '120',
        is: '150',
      },
    ]);
    expect(argsProblems({ platform: 'docker', warmPoolMax: 1 })).toMatchObject([
      { wants: 'at least warmPoolMin, which is 2 unless it is given', example: '2', is: '1' },
    ]);
  });
});

describe('hosts that containers may reach', () => {
  it.each([
    [['pypi.org', '.example.com', 'internal:git.corp:22', '10.1.2.3:8443'], true],
    [['none'], true],
    [['*.example.com'], false],
    [['host:99999'], false],
    [['a..b'], false],
    [['pypi.org', 'https://example.com'], false],
    [[], false],
    [Array.from({ length: 500 }, (_, at) => `h${at}.example.com`), false],
  ])('%j: right is %s', (allowedDomains, right) => {
    expect(keys({ ...ECS, allowedDomains })).toEqual(right ? [] : ['allowedDomains']);
    expect(keys({ platform: 'docker', allowedDomains })).toEqual(right ? [] : ['allowedDomains']);
  });
});

describe('the region of models', () => {
  it('is refused on docker, where no role is there to be assumed', () => {
    expect(keys({ platform: 'docker', bedrockRegion: 'us-east-1' })).toEqual(['bedrockRegion']);
    expect(keys({ ...ECS, bedrockRegion: 'us-east-1' })).toEqual([]);
  });
});

describe('the domain of workspaces', () => {
  it.each<[Partial<PlatformArgs>, string[]]>([
    [{ workspaceDomain: 'workspaces.example.net' }, []],
    [{ workspaceDomain: 'workspaces.example.net', hostname: 'berth.example.com' }, []],
    [{ workspaceDomain: 'mine.co.uk', hostname: 'berth.example.co.uk' }, []],
    [{ workspaceDomain: 'mine.io', hostname: 'berth.example.io' }, []],
    [{ workspaceDomain: 'example.com', hostname: 'berth.example.com' }, ['workspaceDomain']],
    [{ workspaceDomain: 'berth.example.com', hostname: 'berth.example.com' }, ['workspaceDomain']],
    [{ workspaceDomain: 'ws.berth.example.com', hostname: 'berth.example.com' }, ['workspaceDomain']],
    [{ workspaceDomain: 'workspaces.example.com', hostname: 'berth.example.com' }, ['workspaceDomain']],
    [{ workspaceDomain: 'ws.example.co.uk', hostname: 'berth.example.co.uk' }, ['workspaceDomain']],
    [{ workspaceDomain: 'ws.t.co', hostname: 'berth.t.co' }, ['workspaceDomain']],
    [{ workspaceCertificateArn: later }, ['workspaceDomain']],
    [{ workspaceHostedZoneId: 'Z0ABC', workspaceCertificateArn: later }, ['workspaceDomain']],
    [{ workspaceDomain: 'Workspaces.example.net' }, ['workspaceDomain']],
    [{ workspaceDomain: 'workspaces.example.net:8443' }, ['workspaceDomain']],
    [{ workspaceDomain: '*.example.net' }, ['workspaceDomain']],
    [{ workspaceDomain: 'workspaces' }, ['workspaceDomain']],
    [{ workspaceDomain: `${'a.'.repeat(100)}net` }, ['workspaceDomain']],
  ])('%o: wrong are %o', (args, wrong) => expect(keys({ ...ECS, ...args })).toEqual(wrong));

  it('is one that the runtime takes', () => {
    for (const domain of [RULES.workspaceDomain.example, 'workspaces.localhost', `${'a'.repeat(63)}.net`]) {
      expect(RULES.workspaceDomain.accepts(domain)).toBe(true);
      expect(VARIABLES.WORKSPACE_DOMAIN.parse(domain)).toBe(domain);
    }
  });

  it('has neither certificate nor zone on docker', () => {
    const certificate = RULES.workspaceCertificateArn.example;
    const args = { workspaceDomain: 'mine.localhost', workspaceCertificateArn: certificate };
    expect(keys({ platform: 'docker', ...args })).toEqual(['workspaceCertificateArn']);
  });
});

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
