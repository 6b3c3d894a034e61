import type { WireObject } from '../wire-values.ts';
import { ACCOUNT, REGION } from './aws-type.ts';

/** Of the region, as AWS tells them: the last is a local one, which is not everywhere what a zone is. */
const ZONES = [
  ...['a', 'b', 'c'].map((zone) => ({
    name: REGION + zone,
    id: `zone-${zone}`,
    optIn: 'opt-in-not-required',
  })),
  { name: `${REGION}-bos-1a`, id: 'zone-bos1-az1', optIn: 'opted-in' },
];

interface ZonesAsked {
  filters?: { name: string; values: string[] }[];
  excludeZoneIds?: string[];
}

function zoneNames({ filters = [], excludeZoneIds = [] }: ZonesAsked): string[] {
  const unknown = filters.find(({ name }) => name !== 'opt-in-status');
  if (unknown !== undefined)
    throw new Error(`InvalidParameterValue: the filter '${unknown.name}' is invalid`);
  return ZONES.filter(({ optIn }) => filters.every(({ values }) => values.includes(optIn)))
    .filter(({ id }) => !excludeZoneIds.includes(id))
    .map(({ name }) => name);
}

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
  'aws:index/getAvailabilityZones:getAvailabilityZones': (asked) => ({ id: REGION, names: zoneNames(asked) }),
  'aws:ec2/getPrefixList:getPrefixList': ({ name }) => ({ id: 'pl-63a5400a', name }),
  'aws:ecr/getAuthorizationToken:getAuthorizationToken': () => ({
    id: REGION,
    userName: 'AWS',
    password: 'token-of-the-registry',
  }),
};
