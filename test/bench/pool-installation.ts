import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DockerBackend } from '../../runtime/containers/docker/docker-backend.ts';
import { InstallationSecret } from '../../runtime/identity/installation-secret.ts';
import { DirectoryObjectStore } from '../../runtime/objects/directory/directory-object-store.ts';
import { openRedisState } from '../../runtime/state/redis/open-redis-state.ts';
import type { State } from '../../runtime/state/state.ts';
import { conversationParts } from '../support/conversation-parts.ts';
import { removeContainers } from '../support/remove-containers.ts';
import { type BenchSetting, onDocker } from './bench-setting.ts';

const LOOK_MS = 10;

export type Instance = Awaited<ReturnType<typeof conversationParts>>;

/** A warm pool on Docker and Redis, for any number of instances in this process. All that they make goes with it. */
export class PoolInstallation implements AsyncDisposable {
  readonly backend: DockerBackend;
  readonly state: State;
  readonly secret = new InstallationSecret(randomBytes(32));
  readonly #setting: BenchSetting;
  readonly #folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  readonly #objects: Promise<DirectoryObjectStore>;
  readonly #instances: Instance[] = [];

  constructor(setting: BenchSetting) {
    const { dockerHost, installation, redisUrl: url } = setting;
    this.#setting = setting;
    const socketBasePath = join(this.#folder, 's');
    this.backend = new DockerBackend({ dockerHost, installation, version: '0', socketBasePath });
    const keyPrefix = `${installation}:${randomBytes(4).toString('hex')}:`;
    this.state = openRedisState({ url, keyPrefix, maxLifetimeSeconds: 3600 });
    this.#objects = DirectoryObjectStore.open(join(this.#folder, 'objects'));
  }

  /** One that makes so many members at once, when it is asked to look. */
  async instance(parallel: number): Promise<Instance> {
    const instance = await conversationParts({
      backend: this.backend,
      folder: this.#folder,
      env: {
        ...onDocker(this.#setting),
        MAX_CONTAINERS: '300',
        WARM_POOL_MIN_SIZE: '0',
        WARM_POOL_MAX_SIZE: '0',
        WARM_POOL_PARALLEL_CREATES: String(parallel),
      },
      state: this.state,
      objects: await this.#objects,
      secret: this.secret,
      withProxy: true,
    });
    await instance.adoption.run();
    this.#instances.push(instance);
    return instance;
  }

  /** Resolves once the pool has just so many members. */
  async untilSize(size: number, onChange: (size: number) => void = () => {}): Promise<void> {
    for (let last = -1; last !== size; ) {
      const { length } = (await this.state.warmPool.look()).members;
      if (length !== last) onChange(length);
      last = length;
      if (last !== size) await sleep(LOOK_MS);
    }
  }

  /** Resolves once no container counts any more, not even one that is being stopped. */
  async untilEmpty(): Promise<void> {
    while ((await this.state.warmPool.look()).used > 0) await sleep(LOOK_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#instances.map(({ warmPool }) => warmPool.close()));
    for (const { agents, proxy } of this.#instances) {
      agents.close();
      await proxy?.close();
    }
    await removeContainers(this.#setting.dockerHost, this.#setting.installation);
    await this.state.close();
    await this.backend.close();
    await (await this.#objects).close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
