import { BerthError } from '../contracts/errors.ts';

/** Another instance, or the next start of this one, does it. */
export function shuttingDown(): BerthError {
  return new BerthError('SHUTTING_DOWN', 'the service is shutting down', { retry_after: 1 });
}
