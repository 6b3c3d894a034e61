import { SubnetGroup } from '@pulumi/aws/rds/subnetGroup.js';
import { ComponentResource } from '@pulumi/pulumi';
import { ecsPlace } from '../../../infra/ecs/ecs-place.ts';
import { givenNetwork } from '../../../infra/ecs/given-network.ts';
import { recordAws, settled } from './aws-mocks.ts';

// A program of its own, whose failure is an exit: in subnets that are given, as many containers as its argument says.

const VPC = 'vpc-0abc1234';
const subnet = { vpcId: VPC, mapPublicIpOnLaunch: false };
const aws = recordAws();
aws.subnets = [
  { ...subnet, id: 'subnet-0000000a', cidrBlock: '10.9.0.0/24', availabilityZone: 'us-east-1a' },
  { ...subnet, id: 'subnet-0000000b', cidrBlock: '10.9.1.0/24', availabilityZone: 'us-east-1b' },
];
const place = ecsPlace('agents', new ComponentResource('test:index:Parent', 'parent'));
const network = givenNetwork({
  place,
  vpcId: VPC,
  subnetIds: aws.subnets.map(({ id }) => id),
  maxContainers: Number(process.argv[2]),
  serviceTasks: 8,
});
new SubnetGroup('in-it', { subnetIds: network.serviceSubnets });
await settled();
console.log(aws.resources.map(({ name }) => name).join(' '));
