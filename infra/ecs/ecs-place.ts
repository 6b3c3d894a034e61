import { getCallerIdentityOutput } from '@pulumi/aws/getCallerIdentity.js';
import { getPartitionOutput } from '@pulumi/aws/getPartition.js';
import { getRegionOutput } from '@pulumi/aws/getRegion.js';
import {
  type ComponentResource,
  type ComponentResourceOptions,
  Config,
  interpolate,
  type Output,
} from '@pulumi/pulumi';

/** Where every resource of a platform goes, and what it is marked with. */
export interface EcsPlace {
  /** The platform's name, before every other. */
  name: string;
  parent: ComponentResource;
  tags: Record<string, string>;
  region: Output<string>;
  account: Output<string>;
  /** `aws`, or that of China or of a government. */
  partition: Output<string>;
}

export function ecsPlace(name: string, parent: ComponentResource): EcsPlace {
  return {
    name,
    parent,
    tags: { 'berth.platform': name },
    region: getRegionOutput({}, { parent }).region,
    account: getCallerIdentityOutput({}, { parent }).accountId,
    partition: getPartitionOutput({}, { parent }).partition,
  };
}

/** Families of all task definitions that a platform may have, now or before. */
export function taskFamilies(name: string): string[] {
  return ['workspace-agent', 'workspace', 'runtime', 'proxy'].map((kind) => `${name}-${kind}`);
}

/** The ARN of a family of task definitions, without a revision. */
export function taskFamilyArn({ partition, region, account }: EcsPlace, family: string): Output<string> {
  return interpolate`arn:${partition}:ecs:${region}:${account}:task-definition/${family}`;
}

/** The region that components are made in, where it can be told before anything is asked: that of the default provider. */
export function regionOf({ provider, providers, parent }: ComponentResourceOptions = {}): string | undefined {
  const foreign = provider ?? providers ?? parent?.getProvider('aws:index/getRegion:getRegion');
  if (foreign !== undefined) return undefined;
  return new Config('aws').get('region') ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
}
