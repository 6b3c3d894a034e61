import { BerthError } from '../../contracts/errors.ts';
import { type ContainerId, homeVolume, type VolumeName, workspaceOfContainer } from '../../contracts/ids.ts';
import type { ContainerSpec } from '../container-backend.ts';
import { volumeNotFound } from '../volume-backend.ts';
import type { EcsApi } from './ecs-api.ts';
import type { StartSettings } from './task-start.ts';
import type { TaskWatch } from './task-watch.ts';
import { EcsVolumes } from './volumes/ecs-volumes.ts';
import { EfsApi } from './volumes/efs-api.ts';
import { VolumeTasks } from './volumes/volume-tasks.ts';
import { WorkspaceDefinitions } from './workspace-definitions.ts';

export interface WorkspaceSettings {
  /** Of EFS. */
  fileSystem: string;
  /** The task definition that those of workspaces are made after. */
  template: string;
  /** Of their tasks. */
  securityGroups: readonly string[];
}

interface Parts {
  api: EcsApi;
  watch: TaskWatch;
  isLive: (id: ContainerId) => Promise<boolean>;
}

interface Around extends StartSettings {
  version: string;
  instances: number;
}

/** What tasks that run a program of their image have beside those of conversations: a definition each, and volumes. */
export class EcsApps {
  readonly settings: StartSettings;
  readonly volumes: EcsVolumes;
  readonly #definitions: WorkspaceDefinitions;

  constructor({ api, watch, isLive }: Parts, around: Around, workspaces: WorkspaceSettings) {
    const { fileSystem, template, securityGroups } = workspaces;
    const { installation, version, instances } = around;
    this.settings = { ...around, securityGroups };
    this.#definitions = new WorkspaceDefinitions(api.definitions, { installation, template, fileSystem });
    const definitions = this.#definitions;
    this.volumes = new EcsVolumes({
      efs: new EfsApi(fileSystem, instances),
      tasks: new VolumeTasks({ api, watch, definitions, settings: { ...around, securityGroups } }),
      definitions,
      owner: { installation, version },
      isLive,
    });
  }

  /** Its ARN. Throws `VOLUME_NOT_FOUND`. */
  async definitionOf(spec: ContainerSpec): Promise<string> {
    const volume = spec.app?.volume?.name;
    if (volume === undefined) return this.#definitions.ofApp(spec, undefined);
    // Whose a volume is can be told by its name alone: that is how it is known to be in use.
    if (volume !== homeOf(spec.id)) {
      const detail = `on ecs ${spec.id} can have no other volume than its own, and not ${volume}`;
      throw new BerthError('CONTAINER_CREATE_FAILED', detail);
    }
    const accessPoint = await this.volumes.find(volume);
    if (accessPoint === undefined) throw volumeNotFound(volume);
    return this.#definitions.ofApp(spec, accessPoint);
  }

  /** After its end: of one with a volume the definition stays for the next start, and goes with the volume. */
  async forget(id: ContainerId): Promise<void> {
    const volume = homeOf(id);
    if (volume !== undefined && (await this.volumes.find(volume)) !== undefined) return;
    await this.#definitions.remove(await this.#definitions.appFamily(id));
  }

  close(): Promise<void> {
    return this.volumes.close();
  }
}

function homeOf(id: ContainerId): VolumeName | undefined {
  const workspace = workspaceOfContainer(id);
  return workspace && homeVolume(workspace);
}
