import { FlowLog } from '@pulumi/aws/ec2/flowLog.js';
import type { BucketPolicy } from '@pulumi/aws/s3/bucketPolicy.js';
import { all, type Output } from '@pulumi/pulumi';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import type { Statement } from './policy-document.ts';
import { privateBucket } from './private-bucket.ts';

export const DEFAULT_ACCESS_LOG_DAYS = 90;

const SECONDS_TOGETHER = 600;

export interface AccessLogs {
  bucket: Output<string>;
  /** Before it nobody may write there. */
  ready: BucketPolicy;
}

/** Where the load balancer logs requests, and a network of the platform's own what passes over it. Goes with both. */
export function accessLogs(place: EcsPlace, network: EcsNetwork, days: number): AccessLogs | undefined {
  if (days === 0) return undefined;
  const { name, parent, tags, partition, region, account } = place;
  const { bucket, closed } = privateBucket(place, {
    called: 'access-logs',
    stays: false,
    versioned: false,
    expiry: {
      expiration: { days },
      abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
    },
    allowed: (arn) => all([arn, partition, region, account]).apply((of) => logDelivery(...of)),
  });
  if (network.own)
    new FlowLog(
      name,
      {
        vpcId: network.vpcId,
        trafficType: 'ALL',
        logDestinationType: 's3',
        logDestination: bucket.arn,
        maxAggregationInterval: SECONDS_TOGETHER,
        tags,
      },
      { parent, dependsOn: [closed] },
    );
  return { bucket: bucket.bucket, ready: closed };
}

/** Load balancers and flow logs of this account write, each below a folder of AWS' own naming. */
export function logDelivery(bucket: string, partition: string, region: string, account: string): Statement[] {
  // Which names the account.
  const ofAccount = (source: string) => ({ ArnLike: { 'aws:SourceArn': `arn:${partition}:${source}` } });
  const flows = ofAccount(`logs:${region}:${account}:*`);
  const Resource = `${bucket}/AWSLogs/${account}/*`;
  return [
    {
      Effect: 'Allow',
      Principal: { Service: 'logdelivery.elasticloadbalancing.amazonaws.com' },
      Action: 's3:PutObject',
      Resource,
      Condition: ofAccount(`elasticloadbalancing:${region}:${account}:loadbalancer/*`),
    },
    {
      Effect: 'Allow',
      Principal: { Service: 'delivery.logs.amazonaws.com' },
      Action: 's3:PutObject',
      Resource,
      Condition: { ...flows, StringEquals: { 's3:x-amz-acl': 'bucket-owner-full-control' } },
    },
    {
      Effect: 'Allow',
      Principal: { Service: 'delivery.logs.amazonaws.com' },
      Action: 's3:GetBucketAcl',
      Resource: bucket,
      Condition: flows,
    },
  ];
}
