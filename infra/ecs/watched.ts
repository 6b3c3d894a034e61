import type { Input, Output } from '@pulumi/pulumi';
import { type LogSignal, signalNamespace } from './log-signals.ts';

/** What alarms and the dashboard look at, as CloudWatch names it. */
export interface Watched {
  platform: string;
  balancer: Output<string>;
  targets: Output<string>;
  cluster: Output<string>;
  /** Services of it. */
  runtime: Output<string>;
  proxy: Output<string> | undefined;
  redisNodes: Output<string>[];
  database: Output<string>;
  gateways: Output<string>[];
  /** Whether there are functions. */
  functions: boolean;
  /** Whether calls of models are signed. */
  signsModels: boolean;
}

/** A series of CloudWatch's. */
export interface Metric {
  namespace: string;
  name: string;
  stat: string;
  dimensions: Record<string, Input<string>>;
}

/** Makes them for one platform. */
export function metricsOf(watched: Watched) {
  const of = (namespace: string, dimensions: Metric['dimensions']) => (name: string, stat: string) => ({
    namespace,
    name,
    stat,
    dimensions,
  });
  const { balancer, targets, cluster } = watched;
  return {
    balancer: of('AWS/ApplicationELB', { LoadBalancer: balancer }),
    targets: of('AWS/ApplicationELB', { LoadBalancer: balancer, TargetGroup: targets }),
    cluster: of('ECS/ContainerInsights', { ClusterName: cluster }),
    tasksOf: (service: Output<string>) =>
      of('ECS/ContainerInsights', { ClusterName: cluster, ServiceName: service }),
    service: (service: Output<string>) => of('AWS/ECS', { ClusterName: cluster, ServiceName: service }),
    redis: (node: Output<string>) => of('AWS/ElastiCache', { CacheClusterId: node }),
    postgres: of('AWS/RDS', { DBInstanceIdentifier: watched.database }),
    gateway: (gateway: Output<string>) => of('AWS/NATGateway', { NatGatewayId: gateway }),
    signal: (signal: LogSignal) => of(signalNamespace(watched.platform), {})(signal, 'Sum'),
  };
}
