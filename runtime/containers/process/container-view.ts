import type { ContainerView } from '../container-backend.ts';
import { createdAt, ownRole } from '../ownership.ts';
import type { ContainerRecord } from './container-folder.ts';
import { type ProcessIdentity, type ProcessTable, sameProcess } from './process-table.ts';

/** Undefined: not a container of this installation. */
export function toView(
  record: ContainerRecord,
  installation: string,
  table: ProcessTable,
  /** Whether the runtime has a socket to dial. */
  reachable: boolean,
): ContainerView | undefined {
  const role = ownRole(record.labels, installation);
  if (role === undefined) return undefined;
  const { id, labels, exitCode } = record;
  const state = stateOf(record, table, reachable);
  return {
    id,
    role,
    engineId: engineIdOf(record),
    state,
    createdAt: createdAt(labels, 0),
    labels,
    ...(state === 'exited' && exitCode !== undefined ? { exit: { code: exitCode, oomKilled: false } } : {}),
  };
}

export function engineIdOf({ id, process }: ContainerRecord): string {
  return process === undefined ? id : engineIdOfProcess(process);
}

export function engineIdOfProcess({ pid, started }: ProcessIdentity): string {
  return `${pid}/${started}`;
}

function stateOf(
  { process, app }: ContainerRecord,
  table: ProcessTable,
  reachable: boolean,
): ContainerView['state'] {
  if (process === undefined) return 'created';
  const found = sameProcess(table, process);
  if (found === undefined) return 'exited';
  if (app !== undefined && !reachable) return 'created';
  return found.stopped ? 'paused' : 'running';
}
