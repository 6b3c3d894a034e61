import type { IncomingHttpHeaders } from 'node:http';
import { AwsError } from './aws-error.ts';

const SHAPE =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request, ?SignedHeaders=([^,\s]+), ?Signature=[0-9a-f]{64}$/;

/** Refuses what is not signed for this region and service; tells the id of the key. The value is not checked: any key will do. */
export function checkSignature(headers: IncomingHttpHeaders, region: string, service: string): string {
  const { authorization } = headers;
  if (authorization === undefined) {
    throw new AwsError('MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
  const [, accessKeyId = '', day, signedRegion, signedService, signed = ''] = SHAPE.exec(authorization) ?? [];
  if (day === undefined) {
    throw new AwsError('IncompleteSignatureException', 'Authorization header is not of the shape of SigV4.');
  }
  const date = headers['x-amz-date'];
  if (typeof date !== 'string' || !date.startsWith(day) || !signed.split(';').includes('host')) {
    throw new AwsError('IncompleteSignatureException', 'The date or the host is not part of the signature.');
  }
  if (signedRegion !== region) {
    throw new AwsError(
      'InvalidSignatureException',
      `Credential should be scoped to a valid region, not '${signedRegion}'.`,
    );
  }
  if (signedService !== service) {
    throw new AwsError(
      'InvalidSignatureException',
      `Credential should be scoped to correct service: '${service}'.`,
    );
  }
  return accessKeyId;
}
