import type { RunError } from '@pulumi/pulumi';
import { VARIABLES } from '../runtime/contracts/environment.ts';
import type { PlatformArgs } from './platform-args.ts';
import { ARGUMENT_NAMES, ONLY_ON_ECS, RULES } from './platform-rules.ts';
import { siteOf } from './site-of.ts';
import { toldError } from './told-error.ts';

/** One thing that is wrong: the key, what it wants, an example, and what it is where that is not plain. */
export interface Problem {
  key: string;
  wants: string;
  example: string;
  is?: string;
}

/** One error of all of them. */
export function refusal(
  problems: readonly Problem[],
  called: (key: string) => string = (key) => key,
  remedy?: string,
): RunError {
  const lines = problems.map(
    ({ key, wants, example, is }) =>
      `  ${called(key)} wants ${wants}, for instance ${example}${is === undefined ? '' : `, but is ${is}`}`,
  );
  const last = remedy === undefined ? [] : [remedy];
  return toldError(["The platform can't be made like this:", ...lines, ...last].join('\n'));
}

/** Arguments whose own value is wrong, whatever the others are; `platform` alone has no default. */
export function wrongArguments(args: PlatformArgs): ReadonlySet<keyof PlatformArgs> {
  const isWrong = (key: keyof PlatformArgs) =>
    args[key] === undefined ? key === 'platform' : !RULES[key].accepts(args[key]);
  return new Set(ARGUMENT_NAMES.filter(isWrong));
}

/** Everything that is wrong with the arguments, before anything is made of them. */
export function argsProblems(args: PlatformArgs): Problem[] {
  const wrong = wrongArguments(args);
  return [
    ...unknownArguments(args),
    ...[...wrong].map((key) => ({ key, wants: RULES[key].wants, example: RULES[key].example })),
    ...contradictions(args).filter(({ key }) => !wrong.has(key)),
  ];
}

/** Keys that there are not, each with the one that it begins like. */
function unknownArguments(args: PlatformArgs): Problem[] {
  const known: readonly string[] = ARGUMENT_NAMES;
  return Object.keys(args)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      key,
      wants: `to be left out, or one of the names ${known.join(', ')}`,
      example: known.reduce((best, each) => (alike(key, each) > alike(key, best) ? each : best)),
    }));
}

function alike(one: string, other: string): number {
  const differs = [...one].findIndex((letter, at) => letter !== other[at]);
  return differs === -1 ? one.length : differs;
}

interface Contradiction extends Problem {
  key: keyof PlatformArgs;
}

function contradictions(args: PlatformArgs): Contradiction[] {
  const problems: Contradiction[] = [];
  const say = (key: keyof PlatformArgs, wants: string, example: string) =>
    problems.push({ key, wants, example });
  const { platform, egressMode, runtimeReplicas = 1 } = args;
  if (platform === 'docker') {
    if (runtimeReplicas > 1) say('runtimeReplicas', '1 on docker: files are on one machine', '1');
    if (egressMode === 'sidecar') say('egressMode', 'host or service on docker', 'host');
    for (const key of ONLY_ON_ECS)
      if (args[key] !== undefined) say(key, 'nothing on docker', '(leave it out)');
  }
  if (platform === 'ecs') {
    if (egressMode === 'host') say('egressMode', 'sidecar or service on ecs', 'sidecar');
    if (args.port !== undefined) say('port', 'nothing on ecs: it is 443', '(leave it out)');
    if (args.certificateArn === undefined)
      say('certificateArn', 'the certificate of the load balancer', RULES.certificateArn.example);
    if (args.hostedZoneId !== undefined && args.hostname === undefined)
      say('hostname', 'to be given together with hostedZoneId', RULES.hostname.example);
    if (args.runtimeReplicas === 1) say('runtimeReplicas', '2 or more on ecs: one zone may be lost', '2');
    problems.push(...workspaceContradictions(args), ...networkContradictions(args));
  }
  return [...problems, ...poolContradictions(args)];
}

/** One that is given alone meets the default of the other. */
function poolContradictions({ platform, warmPoolMin, warmPoolMax }: PlatformArgs): Contradiction[] {
  const [least, most] =
    platform === 'ecs'
      ? [VARIABLES.ECS_WARM_POOL_MIN_SIZE.default, VARIABLES.ECS_WARM_POOL_MAX_SIZE.default]
      : [VARIABLES.WARM_POOL_MIN_SIZE.default, VARIABLES.WARM_POOL_MAX_SIZE.default];
  const { min = least, max = most } = { min: warmPoolMin, max: warmPoolMax };
  if (!(min > max)) return []; // also where one is no number, which is told elsewhere
  const unless = (given: number | undefined) => (given === undefined ? ' unless it is given' : '');
  const [key, wants, example, is] =
    warmPoolMax === undefined
      ? (['warmPoolMin', `at most warmPoolMax, which is ${max}${unless(warmPoolMax)}`, max, min] as const)
      : (['warmPoolMax', `at least warmPoolMin, which is ${min}${unless(warmPoolMin)}`, min, max] as const);
  return [{ key, wants, example: String(example), is: String(is) }];
}

/** What workspaces do on a host of the API's own site, a browser would let them do to the API. */
function workspaceContradictions(args: PlatformArgs): Contradiction[] {
  const { workspaceDomain: domain, hostname } = args;
  const key = 'workspaceDomain';
  const { example } = RULES[key];
  if (domain === undefined) {
    const others = ['workspaceCertificateArn', 'workspaceHostedZoneId'] as const;
    const given = others.filter((other) => args[other] !== undefined).join(' and ');
    return given === '' ? [] : [{ key, wants: `to be given together with ${given}`, example }];
  }
  if (typeof domain !== 'string' || typeof hostname !== 'string' || siteOf(domain) !== siteOf(hostname))
    return [];
  const wants = `a domain outside of ${siteOf(hostname)}, where hostname is: what runs in a workspace is not the API's`;
  return [{ key, wants, example }];
}

/** What only a network of the platform's own has, or only one that is given. */
function networkContradictions(args: PlatformArgs): Contradiction[] {
  const { vpcId, subnetIds, vpcCidr, egressMode } = args;
  const problems: Contradiction[] = [];
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
