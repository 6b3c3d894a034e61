import type { PolicyArgs } from '@pulumi/aws/appautoscaling/policy.js';
import type { TargetArgs } from '@pulumi/aws/appautoscaling/target.js';
import type { LogGroupArgs } from '@pulumi/aws/cloudwatch/logGroup.js';
import type { MetricAlarmArgs } from '@pulumi/aws/cloudwatch/metricAlarm.js';
import type { SecurityGroupArgs } from '@pulumi/aws/ec2/securityGroup.js';
import type { SubnetArgs } from '@pulumi/aws/ec2/subnet.js';
import type { VpcArgs } from '@pulumi/aws/ec2/vpc.js';
import type { VpcEndpointArgs } from '@pulumi/aws/ec2/vpcEndpoint.js';
import type { RepositoryArgs } from '@pulumi/aws/ecr/repository.js';
import type { ClusterArgs } from '@pulumi/aws/ecs/cluster.js';
import type { ServiceArgs } from '@pulumi/aws/ecs/service.js';
import type { TaskDefinitionArgs } from '@pulumi/aws/ecs/taskDefinition.js';
import type { ReplicationGroupArgs } from '@pulumi/aws/elasticache/replicationGroup.js';
import type { RoleArgs } from '@pulumi/aws/iam/role.js';
import type { ListenerArgs } from '@pulumi/aws/lb/listener.js';
import type { LoadBalancerArgs } from '@pulumi/aws/lb/loadBalancer.js';
import type { TargetGroupArgs } from '@pulumi/aws/lb/targetGroup.js';
import type { InstanceArgs } from '@pulumi/aws/rds/instance.js';
import type { BucketArgs } from '@pulumi/aws/s3/bucket.js';
import type { ContainerArgs } from '@pulumi/docker';
import type { ComponentResourceOptions, ResourceTransformation } from '@pulumi/pulumi';
import type { PlatformArgs } from './platform-args.ts';

/** Children that can be changed, and what each is made with. */
interface Children {
  vpc: VpcArgs;
  /** Every one of them, as of all that are many. */
  subnet: SubnetArgs;
  securityGroup: SecurityGroupArgs;
  endpoint: VpcEndpointArgs;
  role: RoleArgs;
  logGroup: LogGroupArgs;
  repository: RepositoryArgs;
  cluster: ClusterArgs;
  agentTask: TaskDefinitionArgs;
  runtimeTask: TaskDefinitionArgs;
  runtimeService: ServiceArgs;
  proxyTask: TaskDefinitionArgs;
  proxyService: ServiceArgs;
  autoscalingTarget: TargetArgs;
  autoscalingPolicy: PolicyArgs;
  loadBalancer: LoadBalancerArgs;
  targetGroup: TargetGroupArgs;
  listener: ListenerArgs;
  redis: ReplicationGroupArgs;
  postgres: InstanceArgs;
  bucket: BucketArgs;
  alarm: MetricAlarmArgs;
  runtimeContainer: ContainerArgs;
  redisContainer: ContainerArgs;
  postgresContainer: ContainerArgs;
  /** With `egressMode: 'service'`, as are `proxyTask` and `proxyService`. */
  proxyContainer: ContainerArgs;
}

type Child = keyof Children;

/** By child: what it is made with instead, given what it would be made with and its name. */
export type Transform = { [Each in Child]?: (args: Children[Each], name: string) => Children[Each] };

export interface PlatformOptions extends ComponentResourceOptions {
  /**
   * Changes what children are made with, where no argument does. What it returns is taken as it is, also where it
   * opens what was closed.
   */
  transform?: Transform;
}

/** How a child is known: its type, and what follows the platform's name in its own; none: any name. */
export const CHILDREN: Record<Child, { type: string; suffix?: string }> = {
  vpc: { type: 'aws:ec2/vpc:Vpc', suffix: '' },
  subnet: { type: 'aws:ec2/subnet:Subnet' },
  securityGroup: { type: 'aws:ec2/securityGroup:SecurityGroup' },
  endpoint: { type: 'aws:ec2/vpcEndpoint:VpcEndpoint' },
  role: { type: 'aws:iam/role:Role' },
  logGroup: { type: 'aws:cloudwatch/logGroup:LogGroup' },
  repository: { type: 'aws:ecr/repository:Repository' },
  cluster: { type: 'aws:ecs/cluster:Cluster', suffix: '' },
  agentTask: { type: 'aws:ecs/taskDefinition:TaskDefinition', suffix: '-workspace-agent' },
  runtimeTask: { type: 'aws:ecs/taskDefinition:TaskDefinition', suffix: '-runtime' },
  runtimeService: { type: 'aws:ecs/service:Service', suffix: '-runtime' },
  proxyTask: { type: 'aws:ecs/taskDefinition:TaskDefinition', suffix: '-proxy' },
  proxyService: { type: 'aws:ecs/service:Service', suffix: '-proxy' },
  autoscalingTarget: { type: 'aws:appautoscaling/target:Target', suffix: '-runtime' },
  autoscalingPolicy: { type: 'aws:appautoscaling/policy:Policy', suffix: '-runtime' },
  loadBalancer: { type: 'aws:lb/loadBalancer:LoadBalancer', suffix: '' },
  targetGroup: { type: 'aws:lb/targetGroup:TargetGroup', suffix: '' },
  listener: { type: 'aws:lb/listener:Listener', suffix: '' },
  redis: { type: 'aws:elasticache/replicationGroup:ReplicationGroup', suffix: '-redis' },
  postgres: { type: 'aws:rds/instance:Instance', suffix: '-postgres' },
  bucket: { type: 'aws:s3/bucket:Bucket', suffix: '-objects' },
  alarm: { type: 'aws:cloudwatch/metricAlarm:MetricAlarm' },
  runtimeContainer: { type: 'docker:index/container:Container', suffix: '-runtime' },
  redisContainer: { type: 'docker:index/container:Container', suffix: '-redis' },
  postgresContainer: { type: 'docker:index/container:Container', suffix: '-postgres' },
  proxyContainer: { type: 'docker:index/container:Container', suffix: '-proxy' },
};

const PROVIDERS: Record<PlatformArgs['platform'], string> = { docker: 'docker:', ecs: 'aws:' };

/** The options with the changes in them as Pulumi makes them, to the component's children and theirs. */
export function withTransform(
  { transform = {}, ...options }: PlatformOptions,
  platform: { name: string; kind: PlatformArgs['platform'] },
): ComponentResourceOptions {
  const children = Object.keys(transform) as Child[]; // the type has no other
  const there = (Object.keys(CHILDREN) as Child[]).filter((child) =>
    CHILDREN[child].type.startsWith(PROVIDERS[platform.kind]),
  );
  const missing = children.filter((child) => !there.includes(child));
  if (missing.length > 0)
    throw new Error(
      `The platform can't be made like this:\n  transform has ${missing.join(', ')}, but on ${platform.kind} there are ${there.join(', ')}`,
    );
  const change: ResourceTransformation = ({ type, name, props, opts }) => {
    const child = children.find((each) => isChild(each, type, name.slice(platform.name.length)));
    // The cast: the type of the child says what its function takes.
    const changed = child && (transform[child] as ((args: unknown, name: string) => object) | undefined);
    return changed && { props: changed(props, name), opts };
  };
  return children.length === 0
    ? options
    : { ...options, transformations: [...(options.transformations ?? []), change] };
}

function isChild(child: Child, type: string, suffix: string): boolean {
  const known = CHILDREN[child];
  return known.type === type && (known.suffix === undefined || known.suffix === suffix);
}
