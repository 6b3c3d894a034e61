import type { SecurityGroupEgressRuleArgs } from '@pulumi/aws/vpc/securityGroupEgressRule.js';
import type { Unwrap } from '@pulumi/pulumi';
import type { Effects } from '../aws-type.ts';
import type { Recorded, Recorder } from '../recorder.ts';

type Rule = Unwrap<SecurityGroupEgressRuleArgs>;

/** What EC2 knows a rule by: its description is no part of it. */
const IDENTITY = [
  ...['securityGroupId', 'ipProtocol', 'fromPort', 'toPort'],
  ...['referencedSecurityGroupId', 'cidrIpv4', 'prefixListId'],
];

function refuseTwice({ token, id, inputs }: Recorded, recorder: Recorder): void {
  const same = recorder
    .of(token)
    .find((other) => other.id !== id && IDENTITY.every((key) => other.inputs[key] === inputs[key]));
  if (same === undefined) return;
  throw new Error(`InvalidPermission.Duplicate: the specified rule already exists as '${same.id}'`);
}

/** A rule that is once in its group. Those of the other direction are of another type. */
export const securityGroupRule: Effects<Rule> = {
  async created(_, thing, recorder) {
    refuseTwice(thing, recorder);
    return {};
  },
  async updated(_, thing, recorder) {
    refuseTwice(thing, recorder);
    return {};
  },
};
