/**
 * A place between two effects where a crash must leave nothing broken. Outside tests it does nothing; the fault
 * tests kill or freeze the process here.
 */
export type Checkpoint = (name: CheckpointName) => Promise<void> | void;

/** Every checkpoint of conversations: a test fails when one is not exercised. */
export const CHECKPOINTS = [
  'claim.reserved',
  'claim.created',
  'claim.bound',
  'claim.popped',
  'claim.restored',
  'claim.assigned',
  'claim.confirmed',
  'pool.reserved',
  'pool.created',
  'pool.added',
  'execute.begun',
  'execute.sent',
  'execute.saved',
  'execute.finished',
  'save.blobs',
  'save.manifest',
  'end.drained',
  'end.saved',
  'end.forgotten',
  'end.destroyed',
  'end.released',
] as const;

/** Every checkpoint of workspaces, likewise. */
export const WORKSPACE_CHECKPOINTS = [
  'provisioning.provisioned',
  'restoring.provisioned',
  'restoring.restored',
  'starting.image',
  'starting.started',
  'starting.observed',
  'stopping.begun',
  'stopping.deleted',
  'archiving.written',
  'archiving.committed',
  'archiving.removing',
  'archiving.deleted',
  'deleting.container',
  'deleting.volume',
] as const;

/** Every checkpoint of functions, likewise. */
export const FUNCTION_CHECKPOINTS = [
  'worker.reserved',
  'worker.created',
  'worker.leased',
  'worker.answered',
  'worker.taken',
  'worker.paused',
  'worker.ending',
  'worker.destroyed',
] as const;

export type CheckpointName =
  | (typeof CHECKPOINTS)[number]
  | (typeof WORKSPACE_CHECKPOINTS)[number]
  | (typeof FUNCTION_CHECKPOINTS)[number];

export const noCheckpoint: Checkpoint = () => {};
