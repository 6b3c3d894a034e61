import type { Recorded, Recorder } from './recorder.ts';

/** Inputs by which one thing keeps another from being deleted. A rule goes with its group, a route with its table. */
const HOLDING = new Set([
  ...['vpc', 'vpcId', 'subnetId', 'subnetIds', 'subnets', 'allocationId', 'gatewayId', 'natGatewayId'],
  ...['securityGroups', 'securityGroupIds', 'vpcSecurityGroupIds', 'referencedSecurityGroupId'],
  ...['subnetGroupName', 'dbSubnetGroupName', 'parameterGroupName', 'role', 'namespaceId', 'registryArn'],
  ...['targetGroupArn', 'loadBalancerArn', 'firewallRuleGroupId', 'firewallDomainListId'],
]);
/** These two are a part of what they name, whatever the input is called. */
const ASSOCIATION = 'aws:ec2/routeTableAssociation:RouteTableAssociation';

/** Throws as AWS does where something is there that needs this. */
export function refuseInUse(recorder: Recorder, { token, id, inputs, properties }: Recorded): void {
  const names: unknown[] = [id, properties.arn, inputs.name].filter((name) => name !== undefined);
  const holder = recorder
    .all()
    .find((other) => other.id !== id && held(other).some((value) => names.includes(value)));
  if (holder === undefined) return;
  throw new Error(
    `DependencyViolation: ${token} '${id}' has dependencies and cannot be deleted: ${holder.token} '${holder.id}'`,
  );
}

function held({ token, inputs }: Recorded): unknown[] {
  const table = token === ASSOCIATION ? [inputs.routeTableId] : [];
  return [...table, ...valuesAt(inputs)];
}

/** The values at such inputs, however deep they are. */
function valuesAt(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(valuesAt);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => (HOLDING.has(key) ? [part].flat() : valuesAt(part)));
}
