import { hash } from 'node:crypto';
import type { ContainerDefinition, RegisterTaskDefinitionCommandInput } from '@aws-sdk/client-ecs';
import { BerthError } from '../../contracts/errors.ts';
import type { ContainerId, VolumeName } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import { workspaceFamilies } from '../../contracts/workspace-task.ts';
import type { ContainerSpec } from '../container-backend.ts';
import type { DefinitionApi, Described } from './definition-api.ts';
import { APP_CONTAINER, HELPER_CONTAINER, PROXY_CONTAINER } from './task-input.ts';

/** What a definition was made of. One that is there with the same is not registered again. */
const CONTENT = 'berth.content';
const HOME = 'home';
/** Where a helper finds the volume. */
const HELPER_MOUNT = '/volume';

export interface DefinitionSettings {
  installation: string;
  /** The task definition that others are made after. */
  template: string;
  fileSystem: string;
}

type Content = Omit<RegisterTaskDefinitionCommandInput, 'family' | 'tags'>;

/**
 * Task definitions of workspaces: RunTask overrides neither images nor volumes, so each workspace has its own. They are
 * of no use without their volume, and go before it does.
 */
export class WorkspaceDefinitions {
  readonly #api: DefinitionApi;
  readonly #settings: DefinitionSettings;
  /** A revision never changes. */
  #template: Promise<Described> | undefined;

  constructor(api: DefinitionApi, settings: DefinitionSettings) {
    this.#api = api;
    this.#settings = settings;
  }

  /** The ARN of the definition of an app. `accessPoint`: its volume's. */
  async ofApp(spec: ContainerSpec, accessPoint: string | undefined): Promise<string> {
    const template = await this.#read();
    const family = await this.appFamily(spec.id);
    return this.#ensure(family, appContent(template, spec, this.#files(accessPoint)));
  }

  /** Of what works on the files of a volume. */
  async ofHelper(volume: VolumeName, accessPoint: string): Promise<string> {
    const template = await this.#read();
    const family = await this.helperFamily(volume);
    return this.#ensure(family, helperContent(template, this.#files(accessPoint)));
  }

  async appFamily(id: ContainerId): Promise<string> {
    return `${await this.#prefix()}${id}_app`;
  }

  async helperFamily(volume: VolumeName): Promise<string> {
    return `${await this.#prefix()}${volume}_files`;
  }

  /** Deregisters all revisions. */
  async remove(...families: string[]): Promise<void> {
    for (const family of families)
      for (const arn of await this.#api.list(family)) await this.#api.deregister(arn);
  }

  /** Every family of this installation, whatever is left of it. */
  async families(): Promise<Set<string>> {
    return new Set(await this.#api.families(await this.#prefix()));
  }

  async #prefix(): Promise<string> {
    const { definition } = await this.#read();
    return workspaceFamilies(definition.family ?? '', this.#settings.installation);
  }

  async #ensure(family: string, content: Content): Promise<string> {
    const mark = hash('sha256', JSON.stringify(content));
    const found = await this.#api.describe(family);
    const arn = found?.definition.taskDefinitionArn;
    if (arn !== undefined && found?.tags.get(CONTENT) === mark) return arn;
    const tags = {
      [LABEL.installation]: this.#settings.installation,
      [LABEL.role]: 'workspace',
      [CONTENT]: mark,
    };
    const registered = await this.#api.register({
      ...content,
      family,
      tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
    });
    if (arn !== undefined) await this.#api.deregister(arn);
    return registered;
  }

  async #read(): Promise<Described> {
    if (this.#template !== undefined) return this.#template;
    const { template } = this.#settings;
    const read = this.#api.describe(template).then((found) => {
      if (found !== undefined) return found;
      const detail = `there is no task definition ${template}: register it, or set ECS_WORKSPACE_TASK_DEFINITION`;
      throw new BerthError('IMAGE_PULL_FAILED', detail);
    });
    if (!/:\d+$/.test(template)) return read;
    this.#template = read;
    read.catch(() => {
      this.#template = undefined;
    });
    return read;
  }

  /** Without IAM: what a task's role may, its users may, and the role would be the same for all homes. */
  #files(accessPointId: string | undefined): Content['volumes'] {
    if (accessPointId === undefined) return [];
    const efsVolumeConfiguration = {
      fileSystemId: this.#settings.fileSystem,
      transitEncryption: 'ENABLED',
      authorizationConfig: { accessPointId, iam: 'DISABLED' },
    } as const;
    return [{ name: HOME, efsVolumeConfiguration }];
  }
}

function appContent(template: Described, spec: ContainerSpec, volumes: Content['volumes']): Content {
  const { app, image } = spec;
  const program = part(template, APP_CONTAINER);
  const container: ContainerDefinition = {
    ...program,
    image,
    readonlyRootFilesystem: app?.readOnlyRoot ?? true,
    portMappings: [{ containerPort: app?.port, protocol: 'tcp' }],
    ...(app?.user !== undefined && { user: app.user }),
    mountPoints: [...(program.mountPoints ?? []), ...mounted(app?.volume?.mount)],
  };
  return content(template, [container, part(template, PROXY_CONTAINER)], volumes);
}

function helperContent(template: Described, volumes: Content['volumes']): Content {
  const helper = part(template, HELPER_CONTAINER);
  const mountPoints = [...(helper.mountPoints ?? []), ...mounted(HELPER_MOUNT)];
  return content(template, [{ ...helper, mountPoints }], volumes);
}

function mounted(path: string | undefined) {
  return path === undefined ? [] : [{ sourceVolume: HOME, containerPath: path, readOnly: false }];
}

/** Not the task role: whatever runs in a task can read its credentials. */
function content(
  { definition }: Described,
  containerDefinitions: ContainerDefinition[],
  volumes: Content['volumes'] = [],
): Content {
  const {
    networkMode,
    requiresCompatibilities,
    cpu,
    memory,
    executionRoleArn,
    runtimePlatform,
    ephemeralStorage,
  } = definition;
  return {
    containerDefinitions,
    volumes: [...(definition.volumes ?? []), ...volumes],
    networkMode,
    requiresCompatibilities,
    cpu,
    memory,
    executionRoleArn,
    runtimePlatform,
    ephemeralStorage,
  };
}

function part({ definition }: Described, name: string): ContainerDefinition {
  const found = definition.containerDefinitions?.find((container) => container.name === name);
  if (found !== undefined) return found;
  const detail = `the task definition ${definition.family} has no container ${name}: ECS_WORKSPACE_TASK_DEFINITION wants one with ${[APP_CONTAINER, PROXY_CONTAINER, HELPER_CONTAINER].join(', ')}`;
  throw new BerthError('CONTAINER_CREATE_FAILED', detail);
}
