import { runtime } from '@pulumi/pulumi';
import { WorkspacePlatform } from '../../../infra/workspace-platform.ts';
import { CERTIFICATE, REGION, recordAws } from './aws-mocks.ts';

// A program of its own, whose failure is an exit: a platform in subnets that are given, with as many containers as its
// argument says. It prints how many resources it registered.

const VPC = 'vpc-0abc1234';
const subnet = { vpcId: VPC, mapPublicIpOnLaunch: false };
const aws = recordAws();
aws.subnets = [
  { ...subnet, id: 'subnet-0000000a', cidrBlock: '10.9.0.0/24', availabilityZone: 'us-east-1a' },
  { ...subnet, id: 'subnet-0000000b', cidrBlock: '10.9.1.0/24', availabilityZone: 'us-east-1b' },
];
runtime.setConfig('aws:region', REGION);
process.on('exit', () => console.log(aws.resources.length));
new WorkspacePlatform('agents', {
  platform: 'ecs',
  certificateArn: CERTIFICATE,
  vpcId: VPC,
  subnetIds: aws.subnets.map(({ id }) => id),
  maxContainers: Number(process.argv[2]),
});
