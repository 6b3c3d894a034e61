import type { WireObject } from '../wire-values.ts';
import { ACCOUNT, REGION } from './aws-type.ts';

/** What our programs ask of AWS. */
export const FUNCTIONS: Readonly<Record<string, (args: WireObject) => WireObject>> = {
  'aws:index/getRegion:getRegion': () => ({ id: REGION, name: REGION, region: REGION }),
  'aws:index/getPartition:getPartition': () => ({ id: 'aws', partition: 'aws', dnsSuffix: 'amazonaws.com' }),
  'aws:index/getCallerIdentity:getCallerIdentity': () => ({
    id: ACCOUNT,
    accountId: ACCOUNT,
    arn: `arn:aws:iam::${ACCOUNT}:user/deployer`,
    userId: 'AIDA0000000000000000A',
  }),
  'aws:index/getAvailabilityZones:getAvailabilityZones': () => ({
    id: REGION,
    names: ['a', 'b', 'c'].map((zone) => REGION + zone),
  }),
  'aws:ec2/getPrefixList:getPrefixList': ({ name }) => ({ id: 'pl-63a5400a', name }),
  'aws:ecr/getAuthorizationToken:getAuthorizationToken': () => ({
    id: REGION,
    userName: 'AWS',
    password: 'token-of-the-registry',
  }),
};
