import type { InstanceArgs } from '@pulumi/aws/rds/instance.js';
import type { Unwrap } from '@pulumi/pulumi';
import type { Effects } from '../aws-type.ts';

/** A database that is not to be deleted is not. */
export const deletionProtected: Effects<Unwrap<InstanceArgs>> = {
  async deleting({ deletionProtection, skipFinalSnapshot, finalSnapshotIdentifier }, { id }) {
    if (deletionProtection)
      throw new Error(`InvalidParameterCombination: Cannot delete protected DB Instance '${id}'`);
    if (!skipFinalSnapshot && finalSnapshotIdentifier === undefined)
      throw new Error('InvalidParameterCombination: FinalDBSnapshotIdentifier is required');
  },
};
