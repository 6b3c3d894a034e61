import type { Input } from '@pulumi/pulumi';

// An object and a type of one name are an enumeration in the schema for other languages.

/** Where containers run: on one machine, or on AWS. */
export const PlatformKind = { Docker: 'docker', Ecs: 'ecs' } as const;
export type PlatformKind = (typeof PlatformKind)[keyof typeof PlatformKind];

/** Where the egress proxy has its rules. */
export const EgressMode = { Host: 'host', Sidecar: 'sidecar', Service: 'service' } as const;
export type EgressMode = (typeof EgressMode)[keyof typeof EgressMode];

/** What a platform is made with. Everything has a default but `platform`. */
export interface PlatformArgs {
  /**
   * Where containers run: `docker`, on one machine, or `ecs`, on AWS.
   * @default none: it is required
   * @example docker
   */
  platform: PlatformKind;
  /**
   * Version of the images and of the runtime, which are built of this package: no other than its own.
   * @default this package's version
   * @example the version in package.json
   */
  version?: string;
  /**
   * Fewest containers kept ready: no more than `warmPoolMax`.
   * @default docker 2, ecs 50
   * @example 2
   */
  warmPoolMin?: number;
  /**
   * Most containers that are ready or being made so.
   * @default docker 10, ecs 120
   * @example 10
   */
  warmPoolMax?: number;
  /**
   * Most containers in all.
   * @default docker 100, ecs 1000
   * @example 100
   */
  maxContainers?: number;
  /**
   * Where the egress proxy has its rules: `host` (docker), `sidecar` (ecs), or `service`: apart, so that a container's
   * surroundings hold no secret.
   * @default docker `host`, ecs `sidecar`
   * @example host
   */
  egressMode?: EgressMode;
  /**
   * Hosts that containers may reach, as `EGRESS_ALLOWED_DOMAINS` has them.
   * @default Anthropic and Bedrock
   * @example ["pypi.org", ".example.com"]
   */
  allowedDomains?: string[];
  /**
   * On ecs: region of Bedrock, where calls of models are signed.
   * @default none: nothing is signed
   * @example us-east-1
   */
  bedrockRegion?: string;
  /**
   * A key of Anthropic, which calls of its models get on their way out. Kept as a secret.
   * @default none: they get none
   * @example sk-ant-…
   */
  anthropicApiKey?: Input<string>;
  /**
   * Instances of the runtime. On docker there is one, on ecs two at least.
   * @default docker 1, ecs 2
   * @example 2
   */
  runtimeReplicas?: number;
  /**
   * Whether destroying the platform destroys saved files and databases, too.
   * @default false
   * @example false
   */
  destroyData?: boolean;
  /**
   * Domain below which each workspace has a host of its own, `{id}.<domain>`: on ecs of another owner's name than
   * `hostname`, so that browsers keep the two apart.
   * @default docker `workspaces.localhost`, which browsers find on their own machine; ecs none: workspaces can't be opened
   * @example workspaces.example.net
   */
  workspaceDomain?: string;
  /**
   * On docker: the port of the API, on loopback.
   * @default 7420
   * @example 7420
   */
  port?: number;
  /**
   * On ecs: the network to use.
   * @default a network of its own
   * @example vpc-0abc1234
   */
  vpcId?: Input<string>;
  /**
   * On ecs: private subnets of that network, in two zones or more.
   * @default none: they are required with `vpcId`
   * @example ["subnet-0abc1234", "subnet-0def5678"]
   */
  subnetIds?: Input<Input<string>[]>;
  /**
   * On ecs: the range of a network of its own, which never changes: a private one of 16 bits.
   * @default 10.20.0.0/16
   * @example 10.21.0.0/16
   */
  vpcCidr?: string;
  /**
   * On ecs: private ranges whose machines may call the API.
   * @default the network's own range
   * @example ["10.0.0.0/8", "192.168.4.0/22"]
   */
  clientRanges?: string[];
  /**
   * On ecs: the task definitions that functions may name, each as `name=ARN:port`. Without a revision the newest is meant.
   * @default none: there are no functions on ecs
   * @example ["resize=arn:aws:ecs:us-east-1:123456789012:task-definition/resize:7:8080"]
   */
  functionTaskDefinitions?: string[];
  /**
   * On ecs: the certificate of the load balancer.
   * @default none: it is required on ecs
   * @example arn:aws:acm:us-east-1:123456789012:certificate/0abc1234
   */
  certificateArn?: Input<string>;
  /**
   * On ecs: a name of that certificate, which leads to the load balancer.
   * @default the load balancer's own name
   * @example berth.example.com
   */
  hostname?: string;
  /**
   * On ecs: the zone of Route 53 where that name is made.
   * @default none: you make it yourself
   * @example Z0123456789ABCDEFGHIJ
   */
  hostedZoneId?: Input<string>;
  /**
   * On ecs: the certificate of `*.<workspaceDomain>`.
   * @default `certificateArn`, which then has that name, too
   * @example arn:aws:acm:us-east-1:123456789012:certificate/0def5678
   */
  workspaceCertificateArn?: Input<string>;
  /**
   * On ecs: the zone of Route 53 where `*.<workspaceDomain>` is made to lead to the load balancer.
   * @default none: you make it yourself
   * @example Z9876543210ABCDEFGHIJ
   */
  workspaceHostedZoneId?: Input<string>;
  /**
   * On ecs: the SNS topic that alarms go to.
   * @default none: alarms are seen in CloudWatch, and tell nobody
   * @example arn:aws:sns:us-east-1:123456789012:on-call
   */
  alarmTopicArn?: Input<string>;
  /**
   * On ecs: days that requests, and what passes over a network of its own, stay logged. 0: never.
   * @default 90
   * @example 90
   */
  accessLogDays?: number;
  /**
   * On ecs: capacity provider of the tasks, `FARGATE_SPOT` or, in a network of yours, one of yours.
   * @default Fargate
   * @example FARGATE_SPOT
   */
  capacityProvider?: string;
}
