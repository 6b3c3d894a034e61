import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type Docker from 'dockerode';
import { connectEngine } from '../../../../images/builder/engine.ts';
import type { AddressPool } from '../address-pool.ts';
import {
  type BackedTask,
  type BackingFactory,
  StartFailure,
  type TaskBacking,
  type TaskPlan,
} from '../tasks/task-backing.ts';
import { createContainer } from './create-container.ts';
import { DockerTask } from './docker-task.ts';
import { gone, removeLabelled, removeLeftovers } from './leftovers.ts';
import { localImage } from './local-image.ts';
import { ownEfsFolder, removeLeftEfsFolders } from './own-efs-folder.ts';
import { LABEL, thisProcess } from './owner.ts';
import { startFailure } from './start-failure.ts';
import { makeTaskNetwork, type TaskNetwork } from './task-network.ts';
import { volumeSource } from './volume-sources.ts';

export interface DockerOptions {
  /** As `DOCKER_HOST` names it. */
  readonly host?: string;
  /** Whether tasks reach nothing but this machine; true unless said. */
  readonly internal?: boolean;
  /** Below it, each EFS file system is a folder; one that goes with the emulator unless said. */
  readonly efsFolder?: string;
  /** Tasks in the machine's own network, which reach what it reaches and all other tasks, with these binds. */
  readonly onHost?: { readonly isMeant: (task: TaskPlan) => boolean; readonly binds: readonly string[] };
}

const HOST_ADDRESS = '127.0.0.1';

/** Tasks of real containers on a Docker engine. */
export function dockerBacking(options: DockerOptions = {}): BackingFactory {
  return async () => {
    const engine = connectEngine(options.host);
    await removeLeftovers(engine);
    removeLeftEfsFolders();
    const id = randomBytes(4).toString('hex');
    const labels = { [LABEL.emulator]: id, [LABEL.owner]: thisProcess() };
    const name = `berth-ecs-${id}`;
    const network = await makeTaskNetwork(engine, { name, labels, internal: options.internal ?? true });
    const { NCPU: cpus } = await engine.info();
    return new DockerBacking({ engine, id, labels, network, cpus }, options);
  };
}

interface Place {
  readonly engine: Docker;
  readonly id: string;
  readonly labels: Record<string, string>;
  readonly network: TaskNetwork;
  readonly cpus: number;
}

class DockerBacking implements TaskBacking {
  readonly #place: Place;
  readonly #efsFolder: string;
  readonly #ownsEfs: boolean;
  readonly #onHost: DockerOptions['onHost'];

  constructor(place: Place, { efsFolder, onHost }: DockerOptions) {
    this.#place = place;
    this.#onHost = onHost;
    this.#ownsEfs = efsFolder === undefined;
    this.#efsFolder = efsFolder ?? ownEfsFolder(place.id);
  }

  get addresses(): AddressPool {
    return this.#place.network.addresses;
  }

  async open(plan: TaskPlan): Promise<BackedTask> {
    const address = this.#isOnHost(plan) ? HOST_ADDRESS : this.addresses.take();
    if (address === undefined)
      throw new StartFailure('Timeout waiting for network interface provisioning to complete.');
    try {
      return await this.#openAt(address, plan);
    } catch (error) {
      this.addresses.release(address);
      throw startFailure(error, 'ResourceInitializationError');
    }
  }

  #isOnHost(plan: TaskPlan): boolean {
    return this.#onHost?.isMeant(plan) === true;
  }

  async #openAt(address: string, plan: TaskPlan): Promise<BackedTask> {
    const { engine, labels, cpus } = this.#place;
    const volumes = plan.volumes.map((volume) => ({
      name: volume.name,
      ...volumeSource(volume, this.#efsFolder, plan),
    }));
    const own = volumes.filter(({ isOwn }) => isOwn).map(({ source }) => source);
    for (const Name of own) await engine.createVolume({ Name, Labels: labels });
    const holder = await this.#holdNetwork(address, plan);
    return new DockerTask({
      engine,
      plan,
      address,
      around: {
        labels,
        networkOf: holder.id,
        sources: new Map(volumes.map(({ name, source }) => [name, source])),
        binds: this.#isOnHost(plan) ? (this.#onHost?.binds ?? []) : [],
        cpus,
      },
      volumes: own,
      onRemoved: () => this.addresses.release(address),
    });
  }

  /** A container that does nothing, from an image that is there anyway. */
  async #holdNetwork(address: string, plan: TaskPlan): Promise<Docker.Container> {
    const { engine, labels, network } = this.#place;
    const { taskId, containers } = plan;
    const onHost = this.#isOnHost(plan);
    const [first] = containers;
    if (first === undefined) throw new StartFailure('The task has no container.');
    const holder = await createContainer(engine, `berth-ecs-${taskId}`, {
      Image: localImage(first.definition.image),
      Entrypoint: ['sleep'],
      Cmd: ['infinity'],
      User: '65534:65534',
      Labels: labels,
      Healthcheck: { Test: ['NONE'] },
      HostConfig: {
        NetworkMode: onHost ? 'host' : network.id,
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        PidsLimit: 8,
        Memory: 64 * 1024 * 1024,
        LogConfig: { Type: 'none', Config: {} },
      },
      ...(!onHost && {
        NetworkingConfig: { EndpointsConfig: { [network.id]: { IPAMConfig: { IPv4Address: address } } } },
      }),
    });
    try {
      await holder.start();
      return holder;
    } catch (error) {
      await holder.remove({ force: true }).catch(gone);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { engine, id } = this.#place;
    await removeLabelled(engine, (labels) => labels[LABEL.emulator] === id);
    if (this.#ownsEfs) rmSync(this.#efsFolder, { recursive: true, force: true });
  }
}
