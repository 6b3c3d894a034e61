import type { PolicyDocument } from '../../../../infra/ecs/policy-document.ts';
import { type Access, evaluatePolicy } from '../../iam/evaluate-policy.ts';
import { AwsError } from '../api/aws-error.ts';

/** Who calls, and the policies of who it is: together they are all that it may. */
export interface Caller {
  readonly arn: string;
  readonly policies: readonly PolicyDocument[];
}

export interface AccessOptions {
  /** By the id of the access key; undefined: one who may do everything. */
  readonly callerOf: (accessKeyId: string) => Caller | undefined;
  /** Told of every action that a policy has allowed. */
  readonly onAllowed?: (action: string) => void;
}

/** Lets through what a caller's policies allow, as IAM does. Without options, everyone may do everything. */
export class AccessControl {
  readonly #options: AccessOptions | undefined;

  constructor(options: AccessOptions | undefined) {
    this.#options = options;
  }

  /** Throws `AccessDeniedException`. */
  check(accessKeyId: string, required: () => readonly Access[]): void {
    const caller = this.#options?.callerOf(accessKeyId);
    if (caller === undefined) return;
    for (const access of required()) {
      const verdicts = caller.policies.map((policy) => evaluatePolicy(policy, access));
      const denied = verdicts.includes('denied');
      if (denied || !verdicts.includes('allowed')) throw refusal(caller, access, denied);
      this.#options?.onAllowed?.(access.action);
    }
  }
}

function refusal({ arn }: Caller, { action, resource }: Access, denied: boolean): AwsError {
  const why = denied
    ? 'with an explicit deny in an identity-based policy'
    : `because no identity-based policy allows the ${action} action`;
  return new AwsError(
    'AccessDeniedException',
    `User: ${arn} is not authorized to perform: ${action} on resource: ${resource} ${why}`,
  );
}
