import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { connectEngine } from '../../../images/builder/engine.ts';
import { appOptions } from '../../../runtime/containers/docker/app-options.ts';
import { homeVolume, parseWorkspaceId, workspaceContainerId } from '../../../runtime/contracts/ids.ts';
import { LABEL } from '../../../runtime/contracts/labels.ts';
import { must } from '../../support/must.ts';
import type { BenchSetting } from '../bench-setting.ts';

const PORT = 8080;
const POLL_MS = 5;
const GiB = 1024 ** 3;

/** The editor as anyone would run it with dockerode: the backend's options, and the engine's own network. */
export class AppByHand {
  readonly #engine: Docker;
  readonly #setting: BenchSetting;
  readonly #id = must(parseWorkspaceId('bench-by-hand'));
  #cpus = 0;

  constructor(setting: BenchSetting) {
    this.#engine = connectEngine(setting.dockerHost);
    this.#setting = setting;
  }

  /** A home that was used before, as that of a workspace in standby was. */
  async prepare(): Promise<void> {
    this.#cpus = (await this.#engine.info()).NCPU;
    await this.#engine.createVolume({ Name: homeVolume(this.#id), Labels: this.#labels });
    await (await this.start()).remove({ force: true });
  }

  /** Create, start, and the first answer of its program. */
  async start(): Promise<Docker.Container> {
    const options = appOptions(this.#spec, {
      labels: this.#labels,
      engine: { cpus: this.#cpus, apparmor: false, remapsUsers: false },
      port: '',
    });
    const container = await this.#engine.createContainer({
      ...options,
      HostConfig: { ...options.HostConfig, NetworkMode: 'bridge' },
    });
    await container.start();
    const { NetworkSettings } = await container.inspect();
    const address = must(NetworkSettings.Networks.bridge).IPAddress;
    while (!(await answers(address))) await sleep(POLL_MS);
    return container;
  }

  get #labels(): Record<string, string> {
    return { [LABEL.installation]: this.#setting.installation };
  }

  get #spec() {
    const mount = '/home/coder';
    return {
      id: workspaceContainerId(this.#id),
      role: 'workspace' as const,
      image: this.#setting.editorImage,
      env: { HOME: mount },
      labels: {},
      limits: { cpus: 2, memoryBytes: 2 * GiB, pids: 4096 },
      network: 'none' as const,
      app: {
        port: PORT,
        user: '1000:1000',
        volume: { name: homeVolume(this.#id), mount },
        reservations: { cpus: 0.1, memoryBytes: GiB / 4 },
        readOnlyRoot: false,
      },
    };
  }
}

/** Whether the first byte of an answer came. */
function answers(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = get({ host, port: PORT, path: '/', agent: false }, (answer) => {
      answer.once('data', () => {
        resolve(true);
        answer.destroy();
      });
    });
    call.on('error', () => resolve(false));
  });
}
