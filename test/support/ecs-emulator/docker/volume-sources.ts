import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join, normalize } from 'node:path';
import type { Volume } from '../api/task-definition-shape.ts';
import { StartFailure } from '../tasks/task-backing.ts';

/** The folder of a file system's root, or of one of its access points. */
export function efsFolder(root: string, fileSystemId: string, accessPointId?: string): string {
  return accessPointId === undefined
    ? join(root, fileSystemId)
    : join(root, fileSystemId, 'access-points', accessPointId);
}

/**
 * Where a volume's files are: an EFS file system is a folder below `root`, anything else a volume of the engine that
 * lives as long as the task. As on EFS, an access point makes its folder, and another root directory has to be there.
 */
export function volumeSource(
  volume: Volume,
  root: string,
  taskId: string,
): { source: string; isOwn: boolean } {
  const efs = volume.efsVolumeConfiguration;
  if (efs === undefined) return { source: `berth-ecs-${taskId}-${volume.name}`, isOwn: true };
  const { fileSystemId, rootDirectory = '/', authorizationConfig } = efs;
  const accessPoint = authorizationConfig?.accessPointId;
  const base = efsFolder(root, fileSystemId, accessPoint);
  mkdirSync(base, { recursive: true });
  // An access point has a user of its own for whoever comes through it.
  if (accessPoint !== undefined) chmodSync(base, 0o777);
  const source = join(base, normalize(`/${rootDirectory}`));
  if (!existsSync(source)) {
    throw new StartFailure(
      `ResourceInitializationError: failed to invoke EFS utils commands to set up EFS volumes: stderr: b'mount.nfs4: mounting ${fileSystemId}:${rootDirectory} failed, reason given by server: No such file or directory'`,
    );
  }
  return { source, isOwn: false };
}
