import { Listener } from '@pulumi/aws/lb/listener.js';
import { ListenerCertificate } from '@pulumi/aws/lb/listenerCertificate.js';
import { LoadBalancer } from '@pulumi/aws/lb/loadBalancer.js';
import { TargetGroup } from '@pulumi/aws/lb/targetGroup.js';
import { Record } from '@pulumi/aws/route53/record.js';
import { type Input, interpolate, type Output } from '@pulumi/pulumi';
import type { AccessLogs } from './access-logs.ts';
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
  certificateArn: Input<string>;
  /** A name of that certificate. */
  hostname: string | undefined;
  /** Where it is made to lead here. */
  hostedZoneId: Input<string> | undefined;
  /** Where every workspace has a host: no rule sends it to the runtime, since all that comes here goes there. */
  workspaces: {
    domain: string | undefined;
    certificateArn: Input<string> | undefined;
    hostedZoneId: Input<string> | undefined;
  };
  logs: AccessLogs | undefined;
}

/** What clients in the network reach the API at, over TLS. */
export function ecsLoadBalancer(given: Given): {
  url: Output<string>;
  balancer: LoadBalancer;
  targets: TargetGroup;
  listener: Listener;
} {
  const { place, network, hostname, hostedZoneId, workspaces, logs } = given;
  const { name, parent, tags } = place;
  const balancer = new LoadBalancer(
    name,
    {
      loadBalancerType: 'application',
      internal: true,
      subnets: network.serviceSubnets,
      securityGroups: [given.securityGroupId],
      idleTimeout: IDLE_SECONDS,
      dropInvalidHeaderFields: true,
      desyncMitigationMode: 'strictest',
      ...(logs && { accessLogs: { bucket: logs.bucket, enabled: true } }),
      tags,
    },
    { parent, dependsOn: logs ? [logs.ready] : [] },
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
      // One that was ready stays: while Redis is away a new one would not be either, and streams go on.
      healthCheck: { path: '/ready?once=true', matcher: '200', interval: 15, timeout: 5 },
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
      certificateArn: given.certificateArn,
      sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06',
      defaultActions: [{ type: 'forward', targetGroupArn: targets.arn }],
      tags,
    },
    { parent },
  );
  if (workspaces.certificateArn !== undefined)
    new ListenerCertificate(
      `${name}-workspaces`,
      { listenerArn: listener.arn, certificateArn: workspaces.certificateArn },
      { parent },
    );
  const lead = (called: string, host: string, zoneId: Input<string>) =>
    new Record(
      called,
      {
        zoneId,
        name: host,
        type: 'A',
        aliases: [{ name: balancer.dnsName, zoneId: balancer.zoneId, evaluateTargetHealth: false }],
      },
      { parent },
    );
  if (hostname !== undefined && hostedZoneId !== undefined) lead(name, hostname, hostedZoneId);
  if (workspaces.domain !== undefined && workspaces.hostedZoneId !== undefined)
    lead(`${name}-workspaces`, `*.${workspaces.domain}`, workspaces.hostedZoneId);
  return { url: interpolate`https://${hostname ?? balancer.dnsName}`, balancer, targets, listener };
}
