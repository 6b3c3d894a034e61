import { list, object, text } from './reading.ts';
import type { Check, ResourceRule } from './rule.ts';
import { DOCKER_CONTAINER } from './task-containers.ts';

const fromFlag =
  (flag: string, problem: string): Check =>
  (props) =>
    props[flag] === true ? [problem] : [];

const withPublicInterface: Check = ({ networkInterfaces }) =>
  list(networkInterfaces).some((each) => String(object(each).associatePublicIpAddress) === 'true')
    ? ['Instances of the launch template get a public address']
    : [];

const LOOPBACK = /^(127\.|::1$|\[::1\]$)/;

export const noPublicAddress: ResourceRule = {
  name: 'no-public-address',
  description: 'Nothing has an address of the internet, or listens on one.',
  level: 'mandatory',
  fix: 'Put it into private subnets, behind an internal load balancer or on loopback',
  checks: {
    'aws:ecs/service:Service': ({ networkConfiguration }) =>
      object(networkConfiguration).assignPublicIp === true
        ? ['Tasks of the service get a public address']
        : [],
    'aws:ec2/subnet:Subnet': fromFlag(
      'mapPublicIpOnLaunch',
      'Whatever starts in the subnet gets a public address',
    ),
    'aws:ec2/instance:Instance': fromFlag('associatePublicIpAddress', 'The instance gets a public address'),
    'aws:ec2/launchTemplate:LaunchTemplate': withPublicInterface,
    'aws:ec2/eip:Eip': ({ instance, networkInterface }) =>
      instance === undefined && networkInterface === undefined
        ? []
        : ['A public address is given to a machine'],
    'aws:lb/loadBalancer:LoadBalancer': ({ internal }) =>
      internal === true ? [] : ['The load balancer faces the internet'],
    'aws:rds/instance:Instance': fromFlag('publiclyAccessible', 'The database has a public address'),
    [DOCKER_CONTAINER]: ({ ports }) =>
      list(ports)
        .map(object)
        .filter(({ ip }) => !LOOPBACK.test(text(ip)))
        .map(({ internal, ip }) => `Port ${internal} is published on ${text(ip) || 'every address'}`),
  },
};
