import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ARGUMENT_NAMES, RULES } from '../../infra/platform-rules.ts';
import { readStack, STACK_KEYS } from '../../infra/stack-config.ts';
import { VERSION } from '../../infra/version.ts';

const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/0abc1234';

const DEV = { project: 'berth', stack: 'dev', region: 'us-east-1' };
const DOCKER = { 'berth:platform': 'docker' };

const problemOf = (config: Record<string, string>, stack = DEV): string => {
  try {
    readStack(config, stack);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'none';
};

describe("a stack's platform", () => {
  const nameOf = (stack: string) => readStack(DOCKER, { ...DEV, stack }).name;

  it('is named after project and stack, so that two stacks are two platforms', () => {
    expect([nameOf('dev'), nameOf('prod')]).toEqual(['berth-dev', 'berth-prod']);
  });

  it('is named as the stack has it, which is no argument', () => {
    const config = { 'berth:name': 'agents', 'berth:platform': 'docker' };
    expect(readStack(config, DEV)).toEqual({ name: 'agents', args: { platform: 'docker' } });
  });

  it.each([
    [{}, 'Production', 'berth-Production'],
    [{}, 'staging-of-the-team-of-agents', 'berth-staging-of-the-team-of-agents'],
    [{}, 'dev-', 'berth-dev-'],
    [{ 'berth:name': '7seas' }, 'dev', '7seas'],
    [{ 'berth:name': 'my--agents' }, 'dev', 'my--agents'],
  ])(
    'is refused a name that AWS could not take, with how to set another: %o in %s',
    (config, stack, name) => {
      const problem = problemOf({ ...DOCKER, ...config }, { ...DEV, stack });
      expect(problem).toContain('berth:name wants up to 24 of a-z, 0-9 and single -');
      expect(problem).toContain(`for instance agents, but is ${name}`);
      expect(problem).toContain('pulumi config set berth:<key> <value>');
    },
  );
});

describe("a stack's configuration", () => {
  it('is read into arguments, each of its own type; other namespaces are not ours', () => {
    expect(
      readStack(
        {
          'berth:platform': 'ecs',
          'berth:warmPoolMin': '20',
          'berth:destroyData': 'true',
          'berth:allowedDomains': 'pypi.org, .example.com',
          'berth:vpcId': 'vpc-0abc1234',
          'berth:subnetIds': '["subnet-0abc1234","subnet-0def5678"]',
          'berth:certificateArn': CERTIFICATE,
          'berth:accessLogDays': '30',
          'berth:clientRanges': '10.0.0.0/8,192.168.4.0/22',
          'aws:region': 'us-east-1',
        },
        DEV,
      ).args,
    ).toEqual({
      platform: 'ecs',
      warmPoolMin: 20,
      destroyData: true,
      allowedDomains: ['pypi.org', '.example.com'],
      vpcId: 'vpc-0abc1234',
      subnetIds: ['subnet-0abc1234', 'subnet-0def5678'],
      certificateArn: CERTIFICATE,
      accessLogDays: 30,
      clientRanges: ['10.0.0.0/8', '192.168.4.0/22'],
    });
  });

  it('has every key in the guide, and no other', () => {
    const guide = readFileSync(new URL('../../docs/guides/deploying.md', import.meta.url), 'utf8');
    const [, table = ''] = /\n\| key \| on \|.*\n\|-.*\n((?:\|.*\n)+)/.exec(guide) ?? [];
    const keys = [...table.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    expect(keys.sort()).toEqual([...STACK_KEYS].sort());
    expect(STACK_KEYS).toEqual(['name', ...ARGUMENT_NAMES]);
  });

  it('tells at once every key that is wrong, missing or not known, with what it wants and an example', () => {
    const problem = problemOf(
      {
        'berth:name': 'Agents',
        'berth:platform': 'ecs',
        'berth:warmPoolMim': '2',
        'berth:warmPoolMin': 'many',
        'berth:destroyData': 'yes',
        'berth:runtimeReplicas': '1',
        'berth:egressMode': 'service',
        'berth:bedrockRegion': 'eu-west-1',
        'berth:maxContainers': '50000',
      },
      DEV,
    );
    const [first, ...lines] = problem.split('\n');
    expect(first).toBe("The platform can't be made like this:");
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}berth:name wants up to 24 of .*, for instance agents, but is Agents$/),
      expect.stringMatching(/^ {2}berth:warmPoolMim wants to be left out, .*, for instance warmPoolMin$/),
      '  berth:warmPoolMin wants a whole number from 0 to 10000, for instance 2',
      '  berth:destroyData wants true or false, for instance false',
      expect.stringMatching(/^ {2}berth:certificateArn wants .*, for instance arn:aws:acm:/),
      '  berth:runtimeReplicas wants 2 or more on ecs: one zone may be lost, for instance 2',
      "  berth:bedrockRegion wants the platform's own region with egressMode service, for instance us-east-1",
      expect.stringMatching(
        /^ {2}berth:maxContainers wants at most 49002 .*, for instance 49002, but is 50000$/,
      ),
      'Set one: pulumi config set berth:<key> <value>',
    ]);
  });

  it.each(ARGUMENT_NAMES)('%s may be what its example says', (name) => {
    const { wants, example } = RULES[name];
    const config = { 'berth:platform': 'ecs', [`berth:${name}`]: example };
    expect(problemOf(config)).not.toContain(`berth:${name} wants ${wants}`);
  });

  it('tells nothing twice, and nothing that follows from a value that is wrong', () => {
    const ecs = { 'berth:platform': 'ecs', 'berth:certificateArn': CERTIFICATE };
    for (const wrong of [
      { 'berth:vpcCidr': '10.0.0.0/8' },
      { 'berth:maxContainers': 'most' },
      { 'berth:allowedDomains': '[oops' },
      { 'berth:egressMode': 'service', 'berth:bedrockRegion': 'Frankfurt' },
      { 'berth:constructor': 'a name that every object has' },
    ])
      expect(problemOf({ ...ecs, ...wrong }).split('\n')).toHaveLength(3);
  });

  it('says nothing of a secret that is wrong but what it wants', () => {
    const problem = problemOf({ 'berth:platform': 'docker', 'berth:anthropicApiKey': 'sk-ant-1 sk-ant-2' });
    expect(problem).toContain('berth:anthropicApiKey wants a key of Anthropic, which is one word');
    expect(problem).not.toMatch(/sk-ant-\d/);
  });

  it.each([
    [{}, 'berth:platform wants one of docker, ecs, for instance docker'],
    [{ 'berth:platform': 'podman' }, 'berth:platform wants one of docker, ecs'],
    [
      { 'berth:platform': 'docker', 'berth:warmPoolMim': '2' },
      'berth:warmPoolMim wants to be left out, or one of the names platform, version',
    ],
    [{ 'berth:platform': 'docker', 'berth:runtimeReplicas': '2' }, 'berth:runtimeReplicas wants 1 on docker'],
    [
      { 'berth:platform': 'ecs', 'berth:port': '7420', 'berth:certificateArn': CERTIFICATE },
      'berth:port wants nothing on ecs',
    ],
    [{ 'berth:platform': 'docker', 'berth:egressMode': 'sidecar' }, 'berth:egressMode wants host or service'],
    [{ 'berth:platform': 'docker', 'berth:vpcId': 'vpc-0abc1234' }, 'berth:vpcId wants nothing on docker'],
    [
      { 'berth:platform': 'docker', 'berth:hostname': 'berth.example.com' },
      'berth:hostname wants nothing on docker',
    ],
    [
      { 'berth:platform': 'ecs', 'berth:certificateArn': CERTIFICATE, 'berth:hostedZoneId': 'Z0ABC' },
      'berth:hostname wants to be given together with hostedZoneId',
    ],
    [
      {
        'berth:platform': 'ecs',
        'berth:certificateArn': CERTIFICATE,
        'berth:hostname': 'https://berth.example.com',
      },
      'berth:hostname wants the name of a host, for instance berth.example.com',
    ],
    [
      { 'berth:platform': 'ecs', 'berth:certificateArn': CERTIFICATE, 'berth:alarmTopicArn': 'on-call' },
      'berth:alarmTopicArn wants the ARN of an SNS topic',
    ],
    [
      {
        'berth:platform': 'ecs',
        'berth:certificateArn': CERTIFICATE,
        'berth:hostname': 'berth.example.com',
        'berth:workspaceDomain': 'workspaces.example.com',
      },
      "berth:workspaceDomain wants a domain outside of example.com, where hostname is: what runs in a workspace is not the API's, for instance workspaces.example.net",
    ],
    [
      {
        'berth:platform': 'ecs',
        'berth:certificateArn': CERTIFICATE,
        'berth:workspaceCertificateArn': CERTIFICATE,
        'berth:workspaceHostedZoneId': 'Z0ABC',
      },
      'berth:workspaceDomain wants to be given together with workspaceCertificateArn and workspaceHostedZoneId, for instance workspaces.example.net',
    ],
    [
      { 'berth:platform': 'docker', 'berth:workspaceDomain': 'http://workspaces.localhost' },
      'berth:workspaceDomain wants a domain in lower case, without a port, for instance workspaces.example.net',
    ],
    [{ 'berth:platform': 'ecs' }, 'berth:certificateArn wants the certificate'],
    [{ 'berth:platform': 'ecs' }, 'Set one: pulumi config set berth:<key> <value>'],
    [
      { 'berth:platform': 'ecs', 'berth:certificateArn': CERTIFICATE.replace('0abc1234', '00000000-0000') },
      'berth:certificateArn wants the ARN of a certificate',
    ],
    [
      { 'berth:platform': 'docker', 'berth:version': '9.8.7' },
      `berth:version wants the version of this package, of which images are built (to have another, install that one), for instance ${VERSION}`,
    ],
    [
      { 'berth:platform': 'ecs', 'berth:certificateArn': CERTIFICATE, 'berth:egressMode': 'host' },
      'berth:egressMode wants sidecar or service on ecs',
    ],
    [
      { 'berth:platform': 'ecs', 'berth:certificateArn': CERTIFICATE, 'berth:vpcId': 'vpc-0abc1234' },
      'berth:subnetIds wants to be given together with vpcId',
    ],
    [
      { 'berth:platform': 'docker', 'berth:warmPoolMin': '5', 'berth:warmPoolMax': '3' },
      'berth:warmPoolMax wants at least warmPoolMin, which is 5',
    ],
    [
      { 'berth:platform': 'docker', 'berth:allowedDomains': '[oops' },
      'berth:allowedDomains wants a list of hosts',
    ],
  ])('%o is refused: %s', (config, words) => {
    expect(problemOf(config)).toContain(words);
  });
});
