import type { ContainerView } from '../container-backend.ts';
import { createdAt, ownRole } from '../ownership.ts';
import type { ContainerRecord } from './container-folder.ts';
import { type ProcessTable, sameProcess } from './process-table.ts';

/** Undefined: not a container of this installation. */
export function toView(
  record: ContainerRecord,
  installation: string,
  table: ProcessTable,
): ContainerView | undefined {
  const role = ownRole(record.labels, installation);
  if (role === undefined) return undefined;
  const { id, labels, process, exitCode } = record;
  const state = stateOf(record, table);
  return {
    id,
    role,
    engineId: process === undefined ? id : `${process.pid}/${process.started}`,
    state,
    createdAt: createdAt(labels, 0),
    labels,
    ...(state === 'exited' && exitCode !== undefined ? { exit: { code: exitCode, oomKilled: false } } : {}),
  };
}

function stateOf({ process }: ContainerRecord, table: ProcessTable): ContainerView['state'] {
  if (process === undefined) return 'created';
  const found = sameProcess(table, process);
  if (found === undefined) return 'exited';
  return found.stopped ? 'paused' : 'running';
}
