import type { DefaultSecurityGroupArgs } from '@pulumi/aws/ec2/defaultSecurityGroup.js';
import type { EipArgs } from '@pulumi/aws/ec2/eip.js';
import type { InternetGatewayArgs } from '@pulumi/aws/ec2/internetGateway.js';
import type { NatGatewayArgs } from '@pulumi/aws/ec2/natGateway.js';
import type { RouteArgs } from '@pulumi/aws/ec2/route.js';
import type { RouteTableArgs } from '@pulumi/aws/ec2/routeTable.js';
import type { RouteTableAssociationArgs } from '@pulumi/aws/ec2/routeTableAssociation.js';
import type { SecurityGroupArgs } from '@pulumi/aws/ec2/securityGroup.js';
import type { SubnetArgs } from '@pulumi/aws/ec2/subnet.js';
import type { VpcArgs } from '@pulumi/aws/ec2/vpc.js';
import type { VpcEndpointArgs } from '@pulumi/aws/ec2/vpcEndpoint.js';
import type { ListenerArgs } from '@pulumi/aws/lb/listener.js';
import type { ListenerCertificateArgs } from '@pulumi/aws/lb/listenerCertificate.js';
import type { LoadBalancerArgs } from '@pulumi/aws/lb/loadBalancer.js';
import type { TargetGroupArgs } from '@pulumi/aws/lb/targetGroup.js';
import type { ResolverFirewallConfigArgs } from '@pulumi/aws/route53/resolverFirewallConfig.js';
import type { ResolverFirewallDomainListArgs } from '@pulumi/aws/route53/resolverFirewallDomainList.js';
import type { ResolverFirewallRuleArgs } from '@pulumi/aws/route53/resolverFirewallRule.js';
import type { ResolverFirewallRuleGroupArgs } from '@pulumi/aws/route53/resolverFirewallRuleGroup.js';
import type { ResolverFirewallRuleGroupAssociationArgs } from '@pulumi/aws/route53/resolverFirewallRuleGroupAssociation.js';
import type { PrivateDnsNamespaceArgs } from '@pulumi/aws/servicediscovery/privateDnsNamespace.js';
import type { ServiceArgs as NamedServiceArgs } from '@pulumi/aws/servicediscovery/service.js';
import type { SecurityGroupEgressRuleArgs } from '@pulumi/aws/vpc/securityGroupEgressRule.js';
import type { SecurityGroupIngressRuleArgs } from '@pulumi/aws/vpc/securityGroupIngressRule.js';
import { type AwsType, arn, of, REGION } from '../aws-type.ts';
import { securityGroupRule } from '../effects/security-group-rule.ts';

const RULE = [
  ...(['securityGroupId', 'ipProtocol', 'fromPort', 'toPort', 'description', 'tags'] as const),
  ...(['referencedSecurityGroupId', 'cidrIpv4', 'prefixListId'] as const),
];
const BALANCING = 'elasticloadbalancing';

/** What the network is made of. */
export const NETWORK: Readonly<Record<string, AwsType>> = {
  'aws:ec2/vpc:Vpc': of<VpcArgs>('vpc-#', ['cidrBlock', 'enableDnsSupport', 'enableDnsHostnames', 'tags'], {
    replacing: ['cidrBlock'],
    outputs: { arn: arn('ec2', 'vpc/{id}') },
  }),
  'aws:ec2/subnet:Subnet': of<SubnetArgs>(
    'subnet-#',
    ['vpcId', 'cidrBlock', 'availabilityZone', 'mapPublicIpOnLaunch', 'tags'],
    { replacing: ['vpcId', 'cidrBlock', 'availabilityZone'], outputs: { arn: arn('ec2', 'subnet/{id}') } },
  ),
  'aws:ec2/routeTable:RouteTable': of<RouteTableArgs>('rtb-#', ['vpcId', 'tags'], { replacing: ['vpcId'] }),
  'aws:ec2/routeTableAssociation:RouteTableAssociation': of<RouteTableAssociationArgs>(
    'rtbassoc-#',
    ['subnetId', 'routeTableId'],
    { replacing: ['subnetId'] },
  ),
  'aws:ec2/route:Route': of<RouteArgs>(
    'r-{routeTableId}#',
    ['routeTableId', 'destinationCidrBlock', 'gatewayId', 'natGatewayId'],
    { replacing: ['routeTableId', 'destinationCidrBlock'] },
  ),
  'aws:ec2/internetGateway:InternetGateway': of<InternetGatewayArgs>('igw-#', ['vpcId', 'tags']),
  'aws:ec2/natGateway:NatGateway': of<NatGatewayArgs>('nat-#', ['subnetId', 'allocationId', 'tags'], {
    replacing: ['subnetId', 'allocationId'],
  }),
  'aws:ec2/eip:Eip': of<EipArgs>('eipalloc-#', ['domain', 'tags'], { replacing: ['domain'] }),
  'aws:ec2/vpcEndpoint:VpcEndpoint': of<VpcEndpointArgs>(
    'vpce-#',
    [
      ...(['vpcId', 'serviceName', 'vpcEndpointType', 'privateDnsEnabled', 'policy', 'tags'] as const),
      ...(['routeTableIds', 'subnetIds', 'securityGroupIds'] as const),
    ],
    { replacing: ['vpcId', 'serviceName', 'vpcEndpointType'] },
  ),
  'aws:ec2/defaultSecurityGroup:DefaultSecurityGroup': of<DefaultSecurityGroupArgs>(
    'sg-#',
    ['vpcId', 'ingress', 'egress', 'tags'],
    { replacing: ['vpcId'] },
  ),
  'aws:ec2/securityGroup:SecurityGroup': of<SecurityGroupArgs>(
    'sg-#',
    ['name', 'vpcId', 'description', 'tags'],
    {
      named: 'name',
      replacing: ['name', 'vpcId', 'description'],
    },
  ),
  'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule': of<SecurityGroupIngressRuleArgs>(
    'sgr-#',
    RULE,
    {
      replacing: ['securityGroupId'],
      effects: securityGroupRule,
    },
  ),
  'aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule': of<SecurityGroupEgressRuleArgs>('sgr-#', RULE, {
    replacing: ['securityGroupId'],
    effects: securityGroupRule,
  }),

  'aws:lb/loadBalancer:LoadBalancer': of<LoadBalancerArgs>(
    arn(BALANCING, 'loadbalancer/app/{name}/#'),
    [
      ...(['name', 'loadBalancerType', 'internal', 'subnets', 'securityGroups', 'tags'] as const),
      ...(['idleTimeout', 'dropInvalidHeaderFields', 'desyncMitigationMode', 'accessLogs'] as const),
    ],
    {
      named: 'name',
      longest: 32,
      replacing: ['name', 'loadBalancerType', 'internal'],
      outputs: {
        arn: '{id}',
        arnSuffix: 'app/{name}/1',
        zoneId: 'Z35SXDOTRQ7X7K',
        dnsName: `internal-{name}.${REGION}.elb.amazonaws.com`,
      },
    },
  ),
  'aws:lb/targetGroup:TargetGroup': of<TargetGroupArgs>(
    arn(BALANCING, 'targetgroup/{name}/#'),
    [
      ...(['name', 'vpcId', 'targetType', 'protocol', 'port', 'healthCheck', 'tags'] as const),
      ...(['loadBalancingAlgorithmType', 'deregistrationDelay'] as const),
    ],
    {
      named: 'name',
      longest: 32,
      replacing: ['name', 'vpcId', 'targetType', 'protocol', 'port'],
      outputs: { arn: '{id}', arnSuffix: 'targetgroup/{name}/1' },
    },
  ),
  'aws:lb/listener:Listener': of<ListenerArgs>(
    arn(BALANCING, 'listener/app/#'),
    [
      ...(['loadBalancerArn', 'protocol', 'port', 'certificateArn', 'sslPolicy'] as const),
      ...(['defaultActions', 'tags'] as const),
    ],
    { replacing: ['loadBalancerArn'], outputs: { arn: '{id}' } },
  ),
  'aws:lb/listenerCertificate:ListenerCertificate': of<ListenerCertificateArgs>(
    '{listenerArn}_{certificateArn}',
    ['listenerArn', 'certificateArn'],
    { replacing: ['listenerArn', 'certificateArn'] },
  ),

  'aws:servicediscovery/privateDnsNamespace:PrivateDnsNamespace': of<PrivateDnsNamespaceArgs>(
    'ns-#',
    ['name', 'vpc', 'tags'],
    { replacing: ['name', 'vpc'], outputs: { arn: arn('servicediscovery', 'namespace/{id}') } },
  ),
  'aws:servicediscovery/service:Service': of<NamedServiceArgs>(
    'srv-#',
    ['name', 'dnsConfig', 'forceDestroy', 'tags'],
    {
      replacing: ['name'],
      outputs: { arn: arn('servicediscovery', 'service/{id}') },
    },
  ),

  'aws:route53/resolverFirewallConfig:ResolverFirewallConfig': of<ResolverFirewallConfigArgs>(
    'rslvr-fc-#',
    ['resourceId', 'firewallFailOpen'],
    { replacing: ['resourceId'] },
  ),
  'aws:route53/resolverFirewallDomainList:ResolverFirewallDomainList': of<ResolverFirewallDomainListArgs>(
    'rslvr-fdl-#',
    ['name', 'domains', 'tags'],
    { named: 'name', replacing: ['name'] },
  ),
  'aws:route53/resolverFirewallRule:ResolverFirewallRule': of<ResolverFirewallRuleArgs>(
    '{firewallRuleGroupId}:{firewallDomainListId}',
    [
      ...(['name', 'firewallRuleGroupId', 'firewallDomainListId', 'priority', 'action'] as const),
      ...(['blockResponse', 'firewallDomainRedirectionAction'] as const),
    ],
    { named: 'name', replacing: ['firewallRuleGroupId', 'firewallDomainListId'] },
  ),
  'aws:route53/resolverFirewallRuleGroup:ResolverFirewallRuleGroup': of<ResolverFirewallRuleGroupArgs>(
    'rslvr-frg-#',
    ['name', 'tags'],
    { named: 'name', replacing: ['name'] },
  ),
  'aws:route53/resolverFirewallRuleGroupAssociation:ResolverFirewallRuleGroupAssociation':
    of<ResolverFirewallRuleGroupAssociationArgs>(
      'rslvr-frgassoc-#',
      ['name', 'firewallRuleGroupId', 'vpcId', 'priority', 'tags'],
      { named: 'name', replacing: ['firewallRuleGroupId', 'vpcId'] },
    ),
};
