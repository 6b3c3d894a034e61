import type { PolicyDocument } from './policy-document.ts';

/** Whoever brings credentials of another account to an endpoint carries nothing out by it. */
export function ownAccountOnly(account: string): PolicyDocument {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: '*',
        Action: '*',
        Resource: '*',
        Condition: { StringEquals: { 'aws:PrincipalAccount': account } },
      },
    ],
  };
}

/** Of S3: buckets of this account for those who are of it, and for anyone the layers of images, which ECR keeps there. */
export function ownBucketsAndImageLayers(account: string, region: string, partition: string): PolicyDocument {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: '*',
        Action: 's3:*',
        Resource: '*',
        Condition: {
          StringEquals: { 'aws:PrincipalAccount': account, 'aws:ResourceAccount': account },
        },
      },
      {
        Effect: 'Allow',
        Principal: '*',
        Action: 's3:GetObject',
        Resource: `arn:${partition}:s3:::prod-${region}-starport-layer-bucket/*`,
      },
    ],
  };
}
