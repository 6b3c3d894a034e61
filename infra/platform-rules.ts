import { isPlainAllowEntry, MOST_ALLOW_ENTRIES } from '../runtime/contracts/allow-entry.ts';
import { parseFunctionTasks } from '../runtime/contracts/function-task.ts';
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
import { EgressMode, type PlatformArgs, PlatformKind } from './platform-args.ts';
import { VERSION } from './version.ts';

const certificate = (example: string) =>
  orPromised(
    matching(
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/(?![0-]+$)[\w-]+$/,
      'the ARN of a certificate',
      example,
    ),
  );
const zone = (example: string) =>
  orPromised(matching(/^Z[A-Z0-9]{1,31}$/, 'the id of a zone of Route 53', example));

/** By key: what a value that is given must be. */
export const RULES: Record<keyof PlatformArgs, Rule> = {
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
  allowedDomains: {
    wants: 'a list of hosts: names, .name for all below it, name:port, internal:name, or none alone',
    example: '["pypi.org", ".example.com"]',
    accepts: (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.length < MOST_ALLOW_ENTRIES && // the host of models may be one more
      value.every((item) => isPlainAllowEntry(String(item))),
  },
  bedrockRegion: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'the name of an AWS region', 'us-east-1'),
  anthropicApiKey: orPromised(matching(/^\S{8,}$/, 'a key of Anthropic, which is one word', 'sk-ant-…')),
  runtimeReplicas: wholeNumber(1, 100, '2'),
  destroyData: {
    wants: 'true or false',
    example: 'false',
    accepts: (value) => typeof value === 'boolean',
  },
  workspaceDomain: matching(
    /^(?=.{1,200}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'a domain in lower case, without a port',
    'workspaces.example.net',
  ),
  port: wholeNumber(1, 65_535, '7420'),
  vpcId: orPromised(matching(/^vpc-[0-9a-f]{8,17}$/, 'the id of a VPC', 'vpc-0abc1234')),
  subnetIds: orPromised(
    listOf(/^subnet-[0-9a-f]{8,17}$/, 'a list of subnet ids', '["subnet-0abc1234", "subnet-0def5678"]'),
  ),
  vpcCidr: privateNetwork,
  clientRanges: privateRanges,
  functionTaskDefinitions: {
    wants: 'a list of name=ARN:port of task definitions, each name once',
    example: '["resize=arn:aws:ecs:us-east-1:123456789012:task-definition/resize:7:8080"]',
    accepts: (value) =>
      Array.isArray(value) && value.length > 0 && 'tasks' in parseFunctionTasks(value.map(String).join(',')),
  },
  certificateArn: certificate('arn:aws:acm:us-east-1:123456789012:certificate/0abc1234'),
  hostname: matching(
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'the name of a host',
    'berth.example.com',
  ),
  hostedZoneId: zone('Z0123456789ABCDEFGHIJ'),
  workspaceCertificateArn: certificate('arn:aws:acm:us-east-1:123456789012:certificate/0def5678'),
  workspaceHostedZoneId: zone('Z9876543210ABCDEFGHIJ'),
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

/** Arguments that mean nothing on Docker. */
export const ONLY_ON_ECS = [
  'bedrockRegion',
  'vpcId',
  'subnetIds',
  'vpcCidr',
  'clientRanges',
  'functionTaskDefinitions',
  'certificateArn',
  'hostname',
  'hostedZoneId',
  'workspaceCertificateArn',
  'workspaceHostedZoneId',
  'alarmTopicArn',
  'accessLogDays',
  'capacityProvider',
] as const;

export const ARGUMENT_NAMES = Object.keys(RULES) as (keyof PlatformArgs)[]; // the table's own keys
