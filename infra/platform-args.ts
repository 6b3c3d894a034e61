import type { Input } from '@pulumi/pulumi';
import {
  listOf,
  matching,
  oneOf,
  orPromised,
  privateNetwork,
  privateRanges,
  type Rule,
  wholeNumber,
} from './argument-rules.ts';
import { VERSION } from './version.ts';

// An object and a type of one name are an enumeration in the schema for other languages.

/** Where containers run: on one machine, or on AWS. */
export const PlatformKind = { Docker: 'docker', Ecs: 'ecs' } as const;
export type PlatformKind = (typeof PlatformKind)[keyof typeof PlatformKind];

/** Where the egress proxy has its rules. */
export const EgressMode = { Host: 'host', Sidecar: 'sidecar', Service: 'service' } as const;
export type EgressMode = (typeof EgressMode)[keyof typeof EgressMode];

/** What a platform is made with. Everything has a default but `platform`. */
export interface PlatformArgs {
  /** Where containers run: `docker`, on one machine, or `ecs`, on AWS. */
  platform: PlatformKind;
  /**
   * Version of the images and of the runtime, which are built of this package: no other than its own.
   * @default this package's version
   */
  version?: string;
  /** Fewest containers kept ready. @default docker 2, ecs 50 */
  warmPoolMin?: number;
  /** Most containers that are ready or being made so. @default docker 10, ecs 120 */
  warmPoolMax?: number;
  /** Most containers in all. @default docker 100, ecs 1000 */
  maxContainers?: number;
  /**
   * Where the egress proxy has its rules: `host` (docker), `sidecar` (ecs), or `service`: apart, so that a container's
   * surroundings hold no secret. @default docker `host`, ecs `sidecar`
   */
  egressMode?: EgressMode;
  /** Hosts that containers may reach, as `EGRESS_ALLOWED_DOMAINS` has them. @default Anthropic and Bedrock */
  allowedDomains?: string[];
  /** Region of Bedrock, where calls of models are signed. @default none: nothing is signed */
  bedrockRegion?: string;
  /** A key of Anthropic, which calls of its models get on their way out. Kept as a secret. @default none: they get none */
  anthropicApiKey?: Input<string>;
  /** Instances of the runtime. On docker there is one, on ecs two at least. @default docker 1, ecs 2 */
  runtimeReplicas?: number;
  /** Whether destroying the platform destroys saved files and databases, too. @default false */
  destroyData?: boolean;
  /** On docker: the port of the API, on loopback. @default 7420 */
  port?: number;
  /** On ecs: the network to use. @default a network of its own */
  vpcId?: Input<string>;
  /** On ecs: private subnets of that network, in two zones or more. Required with `vpcId`. */
  subnetIds?: Input<Input<string>[]>;
  /** On ecs: the range of a network of its own, which never changes: a private one of 16 bits. @default 10.20.0.0/16 */
  vpcCidr?: string;
  /** On ecs: private ranges whose machines may call the API. @default the network's own range */
  clientRanges?: string[];
  /** On ecs: the certificate of the load balancer. Required on ecs. */
  certificateArn?: Input<string>;
  /** On ecs: a name of that certificate, which leads to the load balancer. @default the load balancer's own name */
  hostname?: string;
  /** On ecs: the zone of Route 53 where that name is made. @default none: you make it yourself */
  hostedZoneId?: Input<string>;
  /** On ecs: the SNS topic that alarms go to. @default none: alarms are seen in CloudWatch, and tell nobody */
  alarmTopicArn?: Input<string>;
  /** On ecs: days that requests, and what passes over a network of its own, stay logged. 0: never. @default 90 */
  accessLogDays?: number;
  /** On ecs: capacity provider of the tasks, `FARGATE_SPOT` or, in a network of yours, one of yours. @default Fargate */
  capacityProvider?: string;
}

/** One thing that is wrong with the arguments: the key, what it wants, and an example. */
export interface ArgsProblem {
  key: keyof PlatformArgs;
  wants: string;
  example: string;
}

/** By key: what a value that is given must be. */
const RULES: Record<keyof PlatformArgs, Rule> = {
  platform: oneOf(Object.values(PlatformKind)),
  version: {
    wants: 'the version of this package, of which images are built (to have another, install that one)',
    example: VERSION,
    accepts: (value) => value === VERSION,
  },
  warmPoolMin: wholeNumber(0, 10_000, '2'),
  warmPoolMax: wholeNumber(0, 10_000, '10'),
  maxContainers: wholeNumber(1, 100_000, '100'),
  egressMode: oneOf(Object.values(EgressMode)),
  allowedDomains: listOf(
    /^(internal:)?\.?[^\s:/@,]{1,253}(:\d{1,5})?$|^none$/,
    'a list of hosts',
    '["pypi.org", ".example.com"]',
  ),
  bedrockRegion: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'the name of an AWS region', 'us-east-1'),
  anthropicApiKey: orPromised(matching(/^\S{8,}$/, 'a key of Anthropic, which is one word', 'sk-ant-…')),
  runtimeReplicas: wholeNumber(1, 100, '2'),
  destroyData: {
    wants: 'true or false',
    example: 'false',
    accepts: (value) => typeof value === 'boolean',
  },
  port: wholeNumber(1, 65_535, '7420'),
  vpcId: orPromised(matching(/^vpc-[0-9a-f]{8,17}$/, 'the id of a VPC', 'vpc-0abc1234')),
  subnetIds: orPromised(
    listOf(/^subnet-[0-9a-f]{8,17}$/, 'a list of subnet ids', '["subnet-0abc1234", "subnet-0def5678"]'),
  ),
  vpcCidr: privateNetwork,
  clientRanges: privateRanges,
  certificateArn: orPromised(
    matching(
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/(?![0-]+$)[\w-]+$/,
      'the ARN of a certificate',
      'arn:aws:acm:us-east-1:123456789012:certificate/0abc1234',
    ),
  ),
  hostname: matching(
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'the name of a host',
    'berth.example.com',
  ),
  hostedZoneId: orPromised(
    matching(/^Z[A-Z0-9]{1,31}$/, 'the id of a zone of Route 53', 'Z0123456789ABCDEFGHIJ'),
  ),
  alarmTopicArn: orPromised(
    matching(
      /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/,
      'the ARN of an SNS topic that is not FIFO',
      'arn:aws:sns:us-east-1:123456789012:on-call',
    ),
  ),
  accessLogDays: wholeNumber(0, 3650, '90'),
  capacityProvider: matching(/^[\w-]{1,255}$/, 'the name of a capacity provider', 'FARGATE_SPOT'),
};

const ONLY_ON_ECS = [
  'vpcId',
  'subnetIds',
  'vpcCidr',
  'clientRanges',
  'certificateArn',
  'hostname',
  'hostedZoneId',
  'alarmTopicArn',
  'accessLogDays',
  'capacityProvider',
] as const;

export const ARGUMENT_NAMES = Object.keys(RULES) as (keyof PlatformArgs)[]; // the table's own keys

/** Everything that is wrong with the arguments, before anything is made of them. */
export function argsProblems(args: PlatformArgs): ArgsProblem[] {
  const wrong = ARGUMENT_NAMES.filter((key) => args[key] !== undefined && !RULES[key].accepts(args[key]));
  const badly = new Set(wrong);
  return [
    ...wrong.map((key) => ({ key, wants: RULES[key].wants, example: RULES[key].example })),
    ...contradictions(args).filter(({ key }) => !badly.has(key)),
  ];
}

function contradictions(args: PlatformArgs): ArgsProblem[] {
  const problems: ArgsProblem[] = [];
  const say = (key: keyof PlatformArgs, wants: string, example: string) =>
    problems.push({ key, wants, example });
  const { platform, egressMode, runtimeReplicas = 1, warmPoolMin = 0, warmPoolMax } = args;
  if (warmPoolMax !== undefined && warmPoolMin > warmPoolMax)
    say('warmPoolMax', `at least warmPoolMin, which is ${warmPoolMin}`, String(warmPoolMin));
  if (platform === 'docker') {
    if (runtimeReplicas > 1) say('runtimeReplicas', '1 on docker: files are on one machine', '1');
    if (egressMode === 'sidecar') say('egressMode', 'host or service on docker', 'host');
    for (const key of ONLY_ON_ECS)
      if (args[key] !== undefined) say(key, 'nothing on docker', '(leave it out)');
  } else {
    if (egressMode === 'host') say('egressMode', 'sidecar or service on ecs', 'sidecar');
    if (args.port !== undefined) say('port', 'nothing on ecs: it is 443', '(leave it out)');
    if (args.certificateArn === undefined)
      say('certificateArn', 'the certificate of the load balancer', RULES.certificateArn.example);
    if (args.hostedZoneId !== undefined && args.hostname === undefined)
      say('hostname', 'to be given together with hostedZoneId', RULES.hostname.example);
    if (args.runtimeReplicas === 1) say('runtimeReplicas', '2 or more on ecs: one zone may be lost', '2');
    problems.push(...networkContradictions(args));
  }
  return problems;
}

/** What only a network of the platform's own has, or only one that is given. */
function networkContradictions(args: PlatformArgs): ArgsProblem[] {
  const { vpcId, subnetIds, vpcCidr, egressMode } = args;
  const problems: ArgsProblem[] = [];
  const say = (key: keyof PlatformArgs, wants: string, example: string) =>
    problems.push({ key, wants, example });
  if ((vpcId === undefined) !== (subnetIds === undefined))
    say('subnetIds', 'to be given together with vpcId', RULES.subnetIds.example);
  else if (Array.isArray(subnetIds) && subnetIds.length < 2)
    say('subnetIds', 'two subnets or more, in different zones', RULES.subnetIds.example);
  if (vpcId === undefined) return problems;
  if (vpcCidr !== undefined)
    say('vpcCidr', 'nothing with vpcId: a network that is given has its range', '(leave it out)');
  if (egressMode === 'service')
    say(
      'egressMode',
      "sidecar with vpcId: routes, endpoints and names of a network that is given are its owner's, and don't " +
        'close conversations in; leave out vpcId and subnetIds to have it',
      'sidecar',
    );
  return problems;
}

/** A platform's name names its installation, and everything that it makes. */
export function checkName(name: string, remedy = ''): void {
  if (/^[a-z][a-z0-9-]{0,23}$/.test(name)) return;
  throw new Error(
    `A platform is named with up to 24 of a-z, 0-9 and -, a letter first (agents), and not ${name}.${remedy}`,
  );
}

/** Throws one error that tells all of them. */
export function checkArgs(
  args: PlatformArgs,
  nameOf: (key: keyof PlatformArgs) => string = (key) => key,
  remedy?: string,
): void {
  const problems = argsProblems(args);
  if (problems.length === 0) return;
  const lines = problems.map(
    ({ key, wants, example }) => `  ${nameOf(key)} wants ${wants}, for instance ${example}`,
  );
  const last = remedy === undefined ? [] : [remedy];
  throw new Error(["The platform can't be made like this:", ...lines, ...last].join('\n'));
}
