import { randomBytes } from 'node:crypto';
import type { Arns } from '../api/arns.ts';
import { AwsError } from '../api/aws-error.ts';
import type { EmulatorClock } from '../emulator-clock.ts';
import { StartFailure } from '../tasks/task-backing.ts';
import type { CreateAccessPointRequest } from './efs-shapes.ts';

export interface AccessPoint extends CreateAccessPointRequest {
  readonly AccessPointId: string;
  readonly AccessPointArn: string;
  readonly availableAt: number;
  /** It is being deleted until then. */
  goneAt?: number;
}

/** How long EFS takes, in milliseconds of the emulator's clock. */
export interface AccessPointDelays {
  readonly creating: number;
  readonly deleting: number;
}

const MOST = 10_000;

/** The access points of the file systems that there are. */
export class AccessPointStore {
  delays: AccessPointDelays = { creating: 0, deleting: 0 };
  readonly #fileSystems: () => readonly string[];
  readonly #arns: Arns;
  readonly #clock: EmulatorClock;
  readonly #points = new Map<string, AccessPoint>();

  constructor(fileSystems: () => readonly string[], arns: Arns, clock: EmulatorClock) {
    this.#fileSystems = fileSystems;
    this.#arns = arns;
    this.#clock = clock;
  }

  /** The client's token stands for one access point for as long as that is there. */
  create(request: CreateAccessPointRequest): AccessPoint {
    this.requireFileSystem(request.FileSystemId);
    const known = this.#all().find(({ ClientToken }) => ClientToken === request.ClientToken);
    if (known !== undefined) {
      const { AccessPointId } = known;
      throw new AwsError('AccessPointAlreadyExists', `Access point already exists: ${AccessPointId}`, 409, {
        AccessPointId,
      });
    }
    if (this.of(request.FileSystemId).length >= MOST)
      throw new AwsError('AccessPointLimitExceeded', `A file system has at most ${MOST} access points.`, 403);
    const AccessPointId = `fsap-${randomBytes(9).toString('hex').slice(1)}`;
    const made: AccessPoint = {
      ...request,
      AccessPointId,
      AccessPointArn: this.#arns.accessPoint(AccessPointId),
      availableAt: this.#clock.now() + this.delays.creating,
    };
    this.#points.set(AccessPointId, made);
    return made;
  }

  known(id: string): AccessPoint | undefined {
    return this.#all().find(({ AccessPointId }) => AccessPointId === id);
  }

  /** Throws `AccessPointNotFound`. */
  find(id: string): AccessPoint {
    const found = this.known(id);
    if (found !== undefined) return found;
    throw new AwsError('AccessPointNotFound', `Access point '${id}' does not exist.`, 404);
  }

  of(fileSystem: string): AccessPoint[] {
    return this.#all().filter(({ FileSystemId }) => FileSystemId === fileSystem);
  }

  /** Who has it mounted keeps it, and its files stay. */
  delete(id: string): void {
    this.find(id).goneAt ??= this.#clock.now() + this.delays.deleting;
  }

  stateOf({ availableAt, goneAt }: AccessPoint): 'creating' | 'available' | 'deleting' {
    if (goneAt !== undefined) return 'deleting';
    return this.#clock.now() < availableAt ? 'creating' : 'available';
  }

  /** Throws `FileSystemNotFound`. */
  requireFileSystem(id: string): void {
    if (this.#fileSystems().includes(id)) return;
    throw new AwsError('FileSystemNotFound', `File system '${id}' does not exist.`, 404);
  }

  /** For a task that is about to start. Throws `StartFailure`. */
  mounted(fileSystem: string, id: string): AccessPoint {
    const found = this.known(id);
    if (found?.FileSystemId === fileSystem && this.stateOf(found) === 'available') return found;
    throw new StartFailure(
      `ResourceInitializationError: failed to invoke EFS utils commands to set up EFS volumes: stderr: b'mount.nfs4: access denied by server while mounting 127.0.0.1:/' : the access point ${id} is not available in ${fileSystem}`,
    );
  }

  #all(): AccessPoint[] {
    const now = this.#clock.now();
    for (const [id, { goneAt }] of this.#points)
      if (goneAt !== undefined && now >= goneAt) this.#points.delete(id);
    return [...this.#points.values()];
  }
}
