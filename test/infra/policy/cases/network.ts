import type { Props } from '../../../../infra/policy/rule.ts';
import { type Cases, CONTAINER } from './shapes.ts';

export const NETWORK: Cases[] = [
  {
    rule: 'no-public-address',
    type: 'aws:ecs/service:Service',
    passes: [{}, { networkConfiguration: { assignPublicIp: false } }],
    fails: [[{ networkConfiguration: { assignPublicIp: true } }, 'Tasks of the service']],
  },
  {
    rule: 'no-public-address',
    type: 'aws:ec2/subnet:Subnet',
    passes: [{}, { mapPublicIpOnLaunch: false }],
    fails: [[{ mapPublicIpOnLaunch: true }, 'the subnet']],
  },
  {
    rule: 'no-public-address',
    type: 'aws:ec2/instance:Instance',
    passes: [{ associatePublicIpAddress: false }],
    fails: [[{ associatePublicIpAddress: true }, 'The instance']],
  },
  {
    rule: 'no-public-address',
    type: 'aws:ec2/launchTemplate:LaunchTemplate',
    passes: [{}, { networkInterfaces: [{ associatePublicIpAddress: 'false' }] }],
    fails: [[{ networkInterfaces: [{ associatePublicIpAddress: 'true' }] }, 'launch template']],
  },
  {
    rule: 'no-public-address',
    type: 'aws:ec2/eip:Eip',
    passes: [{ domain: 'vpc' }],
    fails: [[{ domain: 'vpc', instance: 'i-0abc1234' }, 'to a machine']],
  },
  {
    rule: 'no-public-address',
    type: 'aws:lb/loadBalancer:LoadBalancer',
    passes: [{ internal: true }],
    fails: [
      [{}, 'faces the internet'],
      [{ internal: false }, 'faces the internet'],
    ],
  },
  {
    rule: 'no-public-address',
    type: 'aws:rds/instance:Instance',
    passes: [{}],
    fails: [[{ publiclyAccessible: true }, 'The database']],
  },
  {
    rule: 'no-public-address',
    type: CONTAINER,
    passes: [
      {},
      { ports: [{ internal: 7420, ip: '127.0.0.1' }] },
      { ports: [{ internal: 7420, ip: '::1' }] },
    ],
    fails: [
      [{ ports: [{ internal: 7420 }] }, 'Port 7420 is published on every address'],
      [{ ports: [{ internal: 7420, ip: '0.0.0.0' }] }, 'on 0.0.0.0'],
    ],
  },
  {
    rule: 'no-open-ingress',
    type: 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule',
    passes: [
      { referencedSecurityGroupId: 'sg-0abc1234' },
      ...['10.20.0.0/16', '172.31.0.0/16', '192.168.4.0/24', '100.64.0.0/10'].map((cidrIpv4) => ({
        cidrIpv4,
      })),
      { cidrIpv6: 'fd12:3456::/48' },
    ],
    fails: [
      ...['0.0.0.0/0', '10.0.0.0/7', '172.32.0.0/16', '8.8.8.8/32', '10.0.0.0'].map(
        (cidrIpv4): [Props, string] => [{ cidrIpv4 }, `Anyone in ${cidrIpv4} may connect`],
      ),
      [{ cidrIpv6: '::/0' }, 'Anyone in ::/0'],
      [{ cidrIpv6: '2600::/12' }, 'Anyone in 2600::/12'],
    ],
  },
  {
    rule: 'no-open-ingress',
    type: 'aws:ec2/securityGroupRule:SecurityGroupRule',
    passes: [
      { type: 'egress', cidrBlocks: ['0.0.0.0/0'] },
      { type: 'ingress', cidrBlocks: ['10.0.0.0/8'] },
    ],
    fails: [[{ type: 'ingress', cidrBlocks: ['10.0.0.0/8', '0.0.0.0/0'] }, '0.0.0.0/0']],
  },
  {
    rule: 'no-open-ingress',
    type: 'aws:ec2/securityGroup:SecurityGroup',
    passes: [{}, { ingress: [{ cidrBlocks: ['10.0.0.0/8'] }], egress: [{ cidrBlocks: ['0.0.0.0/0'] }] }],
    fails: [[{ ingress: [{ ipv6CidrBlocks: ['::/0'] }] }, '::/0']],
  },
  {
    rule: 'no-open-ingress',
    type: 'aws:ec2/defaultSecurityGroup:DefaultSecurityGroup',
    passes: [{ ingress: [] }],
    fails: [[{ ingress: [{ self: true }] }, 'default security group']],
  },
];
