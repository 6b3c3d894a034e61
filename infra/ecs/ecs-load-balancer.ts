import { Listener } from '@pulumi/aws/lb/listener.js';
import { LoadBalancer } from '@pulumi/aws/lb/loadBalancer.js';
import { TargetGroup } from '@pulumi/aws/lb/targetGroup.js';
import { interpolate, type Output } from '@pulumi/pulumi';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { RUNTIME_PORT } from './security-flows.ts';

/** The longest that AWS has: a stream may be silent while a command runs. */
const IDLE_SECONDS = 4000;
/** Streams that are open when an instance goes are given this long. */
const DRAIN_SECONDS = 120;

interface Given {
  place: EcsPlace;
  network: EcsNetwork;
  securityGroupId: Output<string>;
  certificateArn: string;
}

/** What clients in the network reach the API at, over TLS. */
export function ecsLoadBalancer({ place, network, securityGroupId, certificateArn }: Given): {
  url: Output<string>;
  balancer: LoadBalancer;
  targets: TargetGroup;
  listener: Listener;
} {
  const { name, parent, tags } = place;
  const balancer = new LoadBalancer(
    name,
    {
      loadBalancerType: 'application',
      internal: true,
      subnets: network.serviceSubnets,
      securityGroups: [securityGroupId],
      idleTimeout: IDLE_SECONDS,
      dropInvalidHeaderFields: true,
      desyncMitigationMode: 'strictest',
      tags,
    },
    { parent },
  );
  const targets = new TargetGroup(
    name,
    {
      vpcId: network.vpcId,
      targetType: 'ip',
      protocol: 'HTTP',
      port: RUNTIME_PORT,
      loadBalancingAlgorithmType: 'least_outstanding_requests',
      deregistrationDelay: DRAIN_SECONDS,
      healthCheck: { path: '/ready', matcher: '200', interval: 15, timeout: 5 },
      tags,
    },
    { parent },
  );
  const listener = new Listener(
    name,
    {
      loadBalancerArn: balancer.arn,
      protocol: 'HTTPS',
      port: 443,
      certificateArn,
      sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06',
      defaultActions: [{ type: 'forward', targetGroupArn: targets.arn }],
      tags,
    },
    { parent },
  );
  return { url: interpolate`https://${balancer.dnsName}`, balancer, targets, listener };
}
