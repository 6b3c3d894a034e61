import { RunError } from '@pulumi/pulumi';

/** An error that Pulumi tells as it is: without a stack trace, and without the names of properties that wait for it. */
export function toldError(message: string): RunError {
  return Object.defineProperty(new RunError(message), 'message', { get: () => message, set() {} });
}
