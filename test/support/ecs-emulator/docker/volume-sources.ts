import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Volume } from '../api/task-definition-shape.ts';
import { type MountedAccessPoint, StartFailure, type TaskPlan } from '../tasks/task-backing.ts';

type Plan = Pick<TaskPlan, 'taskId' | 'containers' | 'accessPoint'>;

/**
 * Where a volume's files are: an EFS file system is a folder below `root`, anything else a volume of the engine that
 * lives as long as the task. As on EFS, an access point makes its folder, and another root directory has to be there.
 */
export function volumeSource(volume: Volume, root: string, plan: Plan): { source: string; isOwn: boolean } {
  const efs = volume.efsVolumeConfiguration;
  if (efs === undefined) return { source: `berth-ecs-${plan.taskId}-${volume.name}`, isOwn: true };
  const { fileSystemId, rootDirectory = '/', authorizationConfig } = efs;
  const files = join(root, fileSystemId);
  mkdirSync(files, { recursive: true });
  const id = authorizationConfig?.accessPointId;
  if (id === undefined) return { source: existing(fileSystemId, files, rootDirectory), isOwn: false };
  const point = plan.accessPoint(fileSystemId, id);
  checkUser(volume.name, plan, point);
  makeFolder(files, point);
  return { source: existing(fileSystemId, files, point.RootDirectory.Path), isOwn: false };
}

/** The folder that an access point leads to: made if need be and if it says how, as with a first mount. */
export function makeFolder(
  files: string,
  { RootDirectory: { Path, CreationInfo } }: MountedAccessPoint,
): string {
  const folder = join(files, normalize(Path));
  if (CreationInfo === undefined || existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder);
  chmodSync(folder, Number.parseInt(CreationInfo.Permissions, 8));
  chownSync(folder, CreationInfo.OwnerUid, CreationInfo.OwnerGid);
  return folder;
}

function existing(fileSystemId: string, files: string, path: string): string {
  const source = join(files, normalize(`/${path}`));
  if (existsSync(source)) return source;
  throw new StartFailure(
    `ResourceInitializationError: failed to invoke EFS utils commands to set up EFS volumes: stderr: b'mount.nfs4: mounting ${fileSystemId}:${path} failed, reason given by server: No such file or directory'`,
  );
}

/** On EFS whoever comes through an access point is its user. Here only that user itself can be. */
function checkUser(volume: string, { containers }: Plan, { PosixUser }: MountedAccessPoint): void {
  if (PosixUser === undefined) return;
  const user = `${PosixUser.Uid}:${PosixUser.Gid}`;
  for (const { name, definition } of containers) {
    const mounts = definition.mountPoints?.some(({ sourceVolume }) => sourceVolume === volume) === true;
    const isThem =
      definition.user === user && definition.linuxParameters?.capabilities?.drop?.includes('ALL');
    if (!mounts || isThem) continue;
    throw new StartFailure(
      `The emulator does not emulate an access point whose user is ${user} for anyone else: ${name} has to be that user, without capabilities.`,
    );
  }
}
