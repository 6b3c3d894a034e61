import { hash } from 'node:crypto';
import {
  type AccessPointDescription,
  CreateAccessPointCommand,
  DeleteAccessPointCommand,
  DescribeAccessPointsCommand,
  EFSClient,
  type EFSClientConfig,
} from '@aws-sdk/client-efs';
import { SANDBOX_UID } from '../../../contracts/container-limits.ts';
import { BerthError } from '../../../contracts/errors.ts';
import { saidBy } from '../aws-failure.ts';
import { CALL, CLIENT, PatientCalls } from '../patient-calls.ts';

/** Of all instances together. EFS tells no quota; it takes more than this. */
const RATES = {
  CreateAccessPoint: { burst: 10, perSecond: 4 },
  DescribeAccessPoints: { burst: 20, perSecond: 8 },
  DeleteAccessPoint: { burst: 10, perSecond: 4 },
};

const PAGE = 100;
/** As on Docker. Nobody else comes to it: the access point has one user. */
const MODE = '0755';

export interface AccessPoint {
  id: string;
  /** What it was made for. */
  name: string;
  /** One that is being deleted is none any more. */
  state: 'creating' | 'available' | 'leaving';
  tags: Readonly<Record<string, string>>;
}

/** The access points of one file system. */
export class EfsApi {
  readonly #fileSystem: string;
  readonly #efs: EFSClient;
  readonly #calls: PatientCalls<keyof typeof RATES>;

  constructor(fileSystem: string, instances: number, config: EFSClientConfig = {}) {
    this.#fileSystem = fileSystem;
    this.#efs = new EFSClient({ ...CLIENT, ...config });
    this.#calls = new PatientCalls('EFS', RATES, instances);
  }

  /**
   * Makes one whose folder comes to be with the first mount, and all whose files are its one user's. By its name there
   * is one: the same again is the same. Gives its id.
   */
  async create(name: string, path: string, tags: Record<string, string>): Promise<string> {
    const owner = { Uid: SANDBOX_UID, Gid: SANDBOX_UID };
    const command = new CreateAccessPointCommand({
      ClientToken: hash('sha256', name),
      FileSystemId: this.#fileSystem,
      PosixUser: owner,
      RootDirectory: {
        Path: path,
        CreationInfo: { OwnerUid: owner.Uid, OwnerGid: owner.Gid, Permissions: MODE },
      },
      Tags: Object.entries({ ...tags, Name: name }).map(([Key, Value]) => ({ Key, Value })),
    });
    try {
      const made = await this.#calls.call('CreateAccessPoint', CALL, () => this.#efs.send(command));
      return made.AccessPointId ?? '';
    } catch (error) {
      const said = saidBy(error);
      if (said.name === 'AccessPointAlreadyExists' && said.AccessPointId) return said.AccessPointId;
      throw this.#noFileSystem(error);
    }
  }

  /** Undefined: there is none. */
  async find(id: string): Promise<AccessPoint | undefined> {
    const command = new DescribeAccessPointsCommand({ AccessPointId: id });
    try {
      const send = () => this.#efs.send(command);
      const { AccessPoints = [] } = await this.#calls.call('DescribeAccessPoints', CALL, send);
      return AccessPoints.map(accessPoint)[0];
    } catch (error) {
      if (saidBy(error).name === 'AccessPointNotFound') return undefined;
      throw error;
    }
  }

  async list(): Promise<AccessPoint[]> {
    const found: AccessPoint[] = [];
    let NextToken: string | undefined;
    do {
      const command = new DescribeAccessPointsCommand({
        FileSystemId: this.#fileSystem,
        MaxResults: PAGE,
        ...(NextToken !== undefined && { NextToken }),
      });
      const send = () => this.#efs.send(command);
      const page = await this.#calls.call('DescribeAccessPoints', CALL, send).catch((error) => {
        throw this.#noFileSystem(error);
      });
      found.push(...(page.AccessPoints ?? []).map(accessPoint));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    return found;
  }

  /** Its files stay. Absent: fine. */
  async delete(id: string): Promise<void> {
    const command = new DeleteAccessPointCommand({ AccessPointId: id });
    try {
      await this.#calls.call('DeleteAccessPoint', CALL, () => this.#efs.send(command));
    } catch (error) {
      if (saidBy(error).name !== 'AccessPointNotFound') throw error;
    }
  }

  close(): void {
    this.#efs.destroy();
  }

  #noFileSystem(error: unknown): unknown {
    if (saidBy(error).name !== 'FileSystemNotFound') return error;
    const detail = `there is no file system ${this.#fileSystem}: check ECS_EFS_FILE_SYSTEM`;
    return new BerthError('VOLUME_CREATE_FAILED', detail, {}, error);
  }
}

function accessPoint({ AccessPointId = '', LifeCycleState, Tags = [] }: AccessPointDescription): AccessPoint {
  const tags = Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value]));
  const { Name: name = '' } = tags;
  const state = LifeCycleState === 'available' || LifeCycleState === 'creating' ? LifeCycleState : 'leaving';
  return { id: AccessPointId, name, state, tags };
}
