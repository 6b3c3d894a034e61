/** What a platform is made with. Everything has a default but `platform`. */
export interface PlatformArgs {
  /** Where containers run: `docker`, on one machine, or `ecs`, on AWS. */
  platform: 'docker' | 'ecs';
  /**
   * Version of the images and of the runtime, which are one: that of this package.
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
  egressMode?: 'host' | 'sidecar' | 'service';
  /** Hosts that containers may reach, as `EGRESS_ALLOWED_DOMAINS` has them. @default Anthropic and Bedrock */
  allowedDomains?: string[];
  /** Region of Bedrock, where calls of models are signed. @default none: nothing is signed */
  bedrockRegion?: string;
  /** Instances of the runtime. On docker there is one. @default docker 1, ecs 2 */
  runtimeReplicas?: number;
  /** Whether destroying the platform destroys saved files and databases, too. @default false */
  destroyData?: boolean;
  /** On docker: the port of the API, on loopback. @default 7420 */
  port?: number;
  /** On ecs: the network to use. @default a network of its own */
  vpcId?: string;
  /** On ecs: private subnets of that network, in two zones or more. Required with `vpcId`. */
  subnetIds?: string[];
  /** On ecs: the certificate of the load balancer. Required on ecs. */
  certificateArn?: string;
  /** On ecs: capacity provider of the tasks, `FARGATE_SPOT` or one of yours. @default Fargate */
  capacityProvider?: string;
}

/** One thing that is wrong with the arguments: the key, what it wants, and an example. */
export interface ArgsProblem {
  key: keyof PlatformArgs;
  wants: string;
  example: string;
}

interface Rule {
  wants: string;
  example: string;
  accepts: (value: unknown, args: PlatformArgs) => boolean;
}

const wholeNumber = (least: number, most: number, example: string): Rule => ({
  wants: `a whole number from ${least} to ${most}`,
  example,
  accepts: (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
});
const matching = (pattern: RegExp, wants: string, example: string): Rule => ({
  wants,
  example,
  accepts: (value) => typeof value === 'string' && pattern.test(value),
});
const oneOf = (values: readonly string[]): Rule => ({
  wants: `one of ${values.join(', ')}`,
  example: values[0] ?? '',
  accepts: (value) => values.includes(String(value)),
});
const listOf = (pattern: RegExp, wants: string, example: string): Rule => ({
  wants,
  example,
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((item) => pattern.test(String(item))),
});

/** By key: what a value that is given must be. */
const RULES: Record<keyof PlatformArgs, Rule> = {
  platform: oneOf(['docker', 'ecs']),
  version: matching(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, 'a version', '0.1.0'),
  warmPoolMin: wholeNumber(0, 10_000, '2'),
  warmPoolMax: wholeNumber(0, 10_000, '10'),
  maxContainers: wholeNumber(1, 100_000, '100'),
  egressMode: oneOf(['host', 'sidecar', 'service']),
  allowedDomains: listOf(
    /^(internal:)?\.?[^\s:/@,]{1,253}(:\d{1,5})?$|^none$/,
    'a list of hosts',
    '["pypi.org", ".example.com"]',
  ),
  bedrockRegion: matching(/^[a-z]{2}(-[a-z]+)+-\d$/, 'the name of an AWS region', 'us-east-1'),
  runtimeReplicas: wholeNumber(1, 100, '2'),
  destroyData: {
    wants: 'true or false',
    example: 'false',
    accepts: (value) => typeof value === 'boolean',
  },
  port: wholeNumber(1, 65_535, '7420'),
  vpcId: matching(/^vpc-[0-9a-f]{8,17}$/, 'the id of a VPC', 'vpc-0abc1234'),
  subnetIds: listOf(
    /^subnet-[0-9a-f]{8,17}$/,
    'a list of subnet ids',
    '["subnet-0abc1234", "subnet-0def5678"]',
  ),
  certificateArn: matching(
    /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
    'the ARN of a certificate',
    'arn:aws:acm:us-east-1:123456789012:certificate/0abc1234',
  ),
  capacityProvider: matching(/^[\w-]{1,255}$/, 'the name of a capacity provider', 'FARGATE_SPOT'),
};

export const ARGUMENT_NAMES = Object.keys(RULES) as (keyof PlatformArgs)[]; // the table's own keys

/** Everything that is wrong with the arguments, before anything is made of them. */
export function argsProblems(args: PlatformArgs): ArgsProblem[] {
  const wrong = ARGUMENT_NAMES.filter(
    (key) => args[key] !== undefined && !RULES[key].accepts(args[key], args),
  );
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
    for (const key of ['vpcId', 'subnetIds', 'certificateArn', 'capacityProvider'] as const)
      if (args[key] !== undefined) say(key, 'nothing on docker', '(leave it out)');
  } else {
    if (egressMode === 'host') say('egressMode', 'sidecar or service on ecs', 'sidecar');
    if (args.port !== undefined) say('port', 'nothing on ecs: it is 443', '(leave it out)');
    if (args.certificateArn === undefined)
      say('certificateArn', 'the certificate of the load balancer', RULES.certificateArn.example);
    if ((args.vpcId === undefined) !== (args.subnetIds === undefined))
      say('subnetIds', 'to be given together with vpcId', RULES.subnetIds.example);
    else if (args.subnetIds !== undefined && args.subnetIds.length < 2)
      say('subnetIds', 'two subnets or more, in different zones', RULES.subnetIds.example);
  }
  return problems;
}

/** A platform's name names its installation, and everything that it makes. */
export function checkName(name: string): void {
  if (/^[a-z][a-z0-9-]{0,23}$/.test(name)) return;
  throw new Error(
    `A platform is named with up to 24 of a-z, 0-9 and -, a letter first (agents), and not ${name}.`,
  );
}

/** Throws one error that tells all of them. */
export function checkArgs(
  args: PlatformArgs,
  nameOf: (key: keyof PlatformArgs) => string = (key) => key,
): void {
  const problems = argsProblems(args);
  if (problems.length === 0) return;
  const lines = problems.map(
    ({ key, wants, example }) => `  ${nameOf(key)} wants ${wants}, for instance ${example}`,
  );
  throw new Error(`The platform can't be made like this:\n${lines.join('\n')}`);
}
