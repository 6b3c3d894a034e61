import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { ContainerSpec } from '../../runtime/containers/container-backend.ts';
import { createOptions } from '../../runtime/containers/docker/create-options.ts';
import { SocketFolder } from '../../runtime/containers/socket-folder.ts';
import { CONVERSATION_LIMITS } from '../../runtime/contracts/container-limits.ts';
import { conversationContainerId } from '../../runtime/contracts/ids.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { firstAnswer } from './agent-call.ts';
import type { BenchSetting } from './bench-setting.ts';

export function benchContainer(image: string): ContainerSpec {
  return {
    id: conversationContainerId(randomUUID()),
    role: 'conversation',
    image,
    env: { AGENT_TOKEN: 'a-token-for-the-bench' },
    labels: {},
    limits: CONVERSATION_LIMITS,
    network: 'none',
  };
}

/** Containers as anyone would make them with dockerode, with the very options of the backend. */
export class ContainersByHand {
  readonly #engine: Docker;
  readonly #setting: BenchSetting;
  /** Folder of their sockets. */
  readonly #base: string;
  #cpus = 0;

  constructor(setting: BenchSetting, base: string) {
    this.#engine = new Docker({ socketPath: setting.dockerHost.replace('unix://', '') });
    this.#setting = setting;
    this.#base = base;
  }

  /** From nothing to an answered `/health`. */
  async create(): Promise<Docker.Container> {
    const { image, installation } = this.#setting;
    const spec = benchContainer(image);
    const folder = new SocketFolder(this.#base, spec.id);
    this.#cpus ||= (await this.#engine.info()).NCPU;
    const options = createOptions(spec, {
      user: { uid: 1000, gid: 1000 },
      labels: { [LABEL.installation]: installation },
      folder,
      engine: { cpus: this.#cpus, apparmor: false, remapsUsers: false },
    });
    mkdirSync(folder.agentFolder, { recursive: true, mode: 0o777 });
    mkdirSync(folder.proxyFolder);
    chmodSync(folder.agentFolder, 0o777);
    const container = await this.#engine.createContainer(options);
    await container.start();
    await firstAnswer(join(folder.agentFolder, 'agent.sock'), '/health');
    return container;
  }
}
