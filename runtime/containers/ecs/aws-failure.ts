import { BerthError } from '../../contracts/errors.ts';

/** What an error of a call says about trying again. */
export type Trouble =
  /** Too many calls: later. */
  | 'throttled'
  /** No answer, or one that says that AWS has a problem. What was asked may have been done. */
  | 'unavailable'
  | 'denied'
  | 'no-cluster'
  /** By AWS' own word it can't be done. */
  | 'refused';

const THROTTLED = new Set([
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
  'RequestLimitExceeded',
  'RequestThrottled',
]);
const DENIED = new Set([
  'AccessDeniedException',
  'AccessDenied',
  'UnauthorizedOperation',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'ExpiredTokenException',
  'CredentialsProviderError',
]);

export function troubleOf(error: unknown): Trouble {
  const { name, $metadata } = shapeOf(error);
  if (THROTTLED.has(name) || $metadata?.httpStatusCode === 429) return 'throttled';
  if (DENIED.has(name)) return 'denied';
  if (name === 'ClusterNotFoundException') return 'no-cluster';
  const status = $metadata?.httpStatusCode;
  return status !== undefined && status >= 400 && status < 500 ? 'refused' : 'unavailable';
}

const REFUSED = { ECS: 'CONTAINER_CREATE_FAILED', EFS: 'VOLUME_CREATE_FAILED' } as const;

/** In our words. */
export function asBerthError(service: 'ECS' | 'EFS', operation: string, error: unknown): BerthError {
  const said = `${shapeOf(error).name}: ${error instanceof Error ? error.message : String(error)}`;
  switch (troubleOf(error)) {
    case 'throttled':
      return new BerthError(
        'BACKEND_UNAVAILABLE',
        `${service} takes no more calls of ${operation} (${said})`,
        {},
        error,
      );
    case 'unavailable':
      return new BerthError(
        'BACKEND_UNAVAILABLE',
        `${service} does not answer ${operation} (${said})`,
        {},
        error,
      );
    case 'denied': {
      const detail = `AWS does not let the runtime call ${operation}: check its role and credentials (${said})`;
      return new BerthError('BACKEND_UNAVAILABLE', detail, {}, error);
    }
    case 'no-cluster':
      return new BerthError(
        'BACKEND_UNAVAILABLE',
        `there is no such cluster: check ECS_CLUSTER (${said})`,
        {},
        error,
      );
    case 'refused':
      return new BerthError(REFUSED[service], `${service} refuses ${operation} (${said})`, {}, error);
  }
}

/** Of what a call failed with: its own error, which is the cause of ours. */
export function saidBy(error: unknown): ReturnType<typeof shapeOf> {
  return shapeOf(error instanceof Error ? error.cause : error);
}

/** Of an error of the SDK; of any other its name alone. */
export function shapeOf(error: unknown): {
  name: string;
  $metadata?: { httpStatusCode?: number };
  resourceIds?: string[];
  AccessPointId?: string;
} {
  return error instanceof Error ? error : { name: 'Error' };
}
