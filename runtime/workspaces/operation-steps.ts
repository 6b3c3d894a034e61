import { BerthError } from '../contracts/errors.ts';
import type { DatabaseOf } from '../database/database.ts';
import { NOTHING, type OperationKind, type WorkspaceRow } from '../database/workspace-row.ts';
import type { Checkpoint } from '../lifecycle/checkpoint.ts';
import type { HealthMonitor } from './health-monitor.ts';
import type { InstanceController } from './instance-controller.ts';
import type { OperationRun, OperationSteps } from './operation-run.ts';
import type { StorageProvider } from './storage-provider.ts';

interface Parts {
  database: DatabaseOf<'reconciler'>;
  instances: InstanceController;
  storage: StorageProvider;
  monitor: HealthMonitor;
  /** Sees to it that the backend has the image. Throws `IMAGE_PULL_FAILED`. */
  getImage: (image: string, onProgress: (line: string) => void, signal: AbortSignal) => Promise<void>;
  /** It runs from now on: it is left running for a while, whether or not somebody comes. */
  onStarted: (row: WorkspaceRow) => Promise<void>;
  checkpoint: Checkpoint;
}

/**
 * What each operation does. Every step can be done again; between any two the process may be killed and another go on
 * under another id. An operation is over when what it was to reach has been seen.
 */
export function operationSteps(parts: Parts): Record<OperationKind, OperationSteps> {
  const { database, instances, storage, monitor, checkpoint } = parts;
  const { reconciler } = database.workspaces;

  /** False: its volume is there and whole. Throws where it was, and is gone: that is for its user to decide. */
  async function wantsHome({ row }: OperationRun): Promise<boolean> {
    if (row.homeFrom === null) return true;
    if ((await storage.findVolume(row.id)) !== undefined) return false;
    if (row.error?.code === 'VOLUME_NOT_FOUND') return true;
    throw new BerthError('VOLUME_NOT_FOUND', `the volume of ${row.id} is gone, and nobody here removed it`);
  }

  /** A container that does not run, but has the volume. False: one that runs. */
  async function withoutContainer(run: OperationRun): Promise<boolean> {
    const found = await instances.find(run.row.id);
    if (found?.state === 'running') return false;
    if (found !== undefined) await instances.delete(run.row.id, found.engineId);
    return true;
  }

  async function provisioning(run: OperationRun): Promise<void> {
    if (await wantsHome(run)) {
      await storage.provision(run.row.id);
      await checkpoint('provisioning.provisioned');
    }
    await seen(run, monitor, (status) => status !== 'PENDING');
    run.check(await reconciler.finish(run.name, { homeFrom: run.row.homeFrom ?? NOTHING }));
  }

  async function restoring(run: OperationRun): Promise<void> {
    const { id, archiveKey, homeFrom } = run.row;
    if (archiveKey === null) throw new BerthError('INTERNAL', `${id} has no archive to restore`);
    const wants = await wantsHome(run);
    if (wants) {
      await withoutContainer(run);
      await storage.provision(id);
      await checkpoint('restoring.provisioned');
      await run.requireOurs();
      await storage.restore(id, archiveKey, run.signal);
      await checkpoint('restoring.restored');
    }
    await seen(run, monitor, (status) => status !== 'PENDING');
    run.check(await reconciler.finish(run.name, { homeFrom: wants ? archiveKey : (homeFrom ?? archiveKey) }));
  }

  async function starting(run: OperationRun): Promise<void> {
    const { row, signal } = run;
    await parts.getImage(row.imageRef, (line) => run.tell(line), signal);
    await checkpoint('starting.image');
    await run.requireOurs();
    try {
      await instances.start(row, signal);
    } catch (error) {
      await clearUp(run);
      throw error;
    }
    await checkpoint('starting.started');
    await parts.onStarted(row);
    await seen(run, monitor, (status) => status === 'RUNNING');
    await checkpoint('starting.observed');
    run.check(await reconciler.finish(run.name));
  }

  /**
   * What could not be started is not left half way; what can't be removed now is when it is started again. What another
   * goes on with is theirs.
   */
  async function clearUp(run: OperationRun): Promise<void> {
    try {
      await run.requireOurs();
      const found = await instances.find(run.row.id);
      if (found !== undefined) await instances.delete(run.row.id, found.engineId);
    } catch {} // how the start failed is what is told
  }

  async function stopping(run: OperationRun): Promise<void> {
    const { id } = run.row;
    const { incarnation } = run.operation;
    await run.requireOurs();
    await checkpoint('stopping.begun');
    if (incarnation !== null) await instances.delete(id, incarnation);
    await checkpoint('stopping.deleted');
    await seen(run, monitor, (status) => status !== 'RUNNING');
    run.check(await reconciler.finish(run.name, { stopped: true }));
  }

  async function archiving(run: OperationRun): Promise<void> {
    const { row, operation } = run;
    // Seen otherwise than it is: what is to be done is decided anew.
    if (await withoutContainer(run)) {
      if (row.homeFrom !== null && operation.pendingArchiveKey !== null) {
        await storage.archive(row.id, operation.pendingArchiveKey, run.signal);
        await checkpoint('archiving.written');
        run.check(await reconciler.commitArchive(run.name));
        await checkpoint('archiving.committed');
      }
      // Whoever sleeps from here on wakes with the name of this one, and not of one that was restored meanwhile.
      const volume = await storage.findVolume(row.id);
      await run.requireOurs();
      await checkpoint('archiving.removing');
      if (volume !== undefined) await storage.deleteVolume(row.id, volume);
      await checkpoint('archiving.deleted');
      await seen(run, monitor, (status) => status === 'PENDING');
    } else await monitor.observe(row.id);
    run.check(await reconciler.finish(run.name));
  }

  async function deleting(run: OperationRun): Promise<void> {
    const { id } = run.row;
    await run.requireOurs();
    await instances.delete(id);
    await checkpoint('deleting.container');
    await run.requireOurs();
    await storage.deleteVolume(id);
    await checkpoint('deleting.volume');
    await seen(run, monitor, (status) => status === 'PENDING');
    run.check(await reconciler.deleted(run.name));
  }

  return {
    PROVISIONING: provisioning,
    RESTORING: restoring,
    STARTING: starting,
    STOPPING: stopping,
    ARCHIVING: archiving,
    DELETING: deleting,
  };
}

/** A look after the last step tells whether it was reached. */
async function seen(
  run: OperationRun,
  monitor: HealthMonitor,
  reached: (status: WorkspaceRow['observedStatus']) => boolean,
): Promise<void> {
  const { status } = await monitor.observe(run.row.id);
  if (reached(status)) return;
  throw new BerthError('HEALTH_CHECK_FAILED', `after ${run.operation.kind} it was seen as ${status}`);
}
