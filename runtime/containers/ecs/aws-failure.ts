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

/** In our words. */
export function asBerthError(operation: string, error: unknown): BerthError {
  const said = `${shapeOf(error).name}: ${error instanceof Error ? error.message : String(error)}`;
  switch (troubleOf(error)) {
    case 'throttled':
      return new BerthError(
        'BACKEND_UNAVAILABLE',
        `ECS takes no more calls of ${operation} (${said})`,
        {},
        error,
      );
    case 'unavailable':
      return new BerthError('BACKEND_UNAVAILABLE', `ECS does not answer ${operation} (${said})`, {}, error);
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
      return new BerthError('CONTAINER_CREATE_FAILED', `ECS refuses ${operation} (${said})`, {}, error);
  }
}

/** Of an error of the SDK; of any other its name alone. */
export function shapeOf(error: unknown): {
  name: string;
  $metadata?: { httpStatusCode?: number };
  resourceIds?: string[];
} {
  return error instanceof Error ? error : { name: 'Error' };
}
