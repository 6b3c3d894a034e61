import { once } from 'node:events';
import { createServer } from 'node:http';
import { ECSClient, RegisterTaskDefinitionCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import type { ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import { EcsApi, type EcsApiOptions } from '../../../../runtime/containers/ecs/ecs-api.ts';
import { EcsBackend, type EcsBackendOptions } from '../../../../runtime/containers/ecs/ecs-backend.ts';
import type { ContainerId } from '../../../../runtime/contracts/ids.ts';
import { MemoryTaskStore } from '../../../../runtime/state/memory/memory-task-store.ts';
import { containerSpec } from '../../../contract/container-backend/specs.ts';
import { EcsEmulator, type EmulatorOptions } from '../../../support/ecs-emulator/ecs-emulator.ts';
import {
  type StubContainer,
  type StubOptions,
  stubBacking,
} from '../../../support/ecs-emulator/stub/stub-backing.ts';
import { workspaceTaskDefinition } from '../../../support/ecs-emulator/workspace-task-definition.ts';
import { must } from '../../../support/must.ts';

export const CLUSTER = 'berth';
export const LOG_GROUP = '/ecs/workspace-agent';
export const FAMILY = 'workspace-agent';
export const INSTALLATION = 'stub-ours';

const PORTS: Record<string, number> = { 'workspace-agent': 9000, 'proxy-sidecar': 8081 };

/** An agent, or a proxy, that answers health checks at its task's address and does nothing else. */
export async function healthyContainer({ address, container }: StubContainer): Promise<AsyncDisposable> {
  const server = createServer((asked, answer) => {
    answer.statusCode = asked.method === 'GET' && asked.url === '/health' ? 200 : 404;
    answer.end();
  });
  server.listen(PORTS[container], address);
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** An ECS whose tasks are small servers of this process, and backends and clients to it that end with it. */
export class StubEcs implements AsyncDisposable {
  readonly emulator: EcsEmulator;
  /** What all backends share, unless they are given another. */
  readonly tasks = new MemoryTaskStore();
  readonly client: ECSClient;
  readonly #closing: (() => void)[] = [];

  private constructor(emulator: EcsEmulator) {
    this.emulator = emulator;
    this.client = new ECSClient({ ...this.#sdk, maxAttempts: 1 });
    this.#closing.push(() => this.client.destroy());
  }

  static async start(
    options: Partial<Omit<EmulatorOptions, 'backing'>> & { startAgent?: StubOptions['startAgent'] } = {},
  ): Promise<StubEcs> {
    const { startAgent = healthyContainer, ...others } = options;
    const backing = stubBacking({ startAgent });
    const emulator = await EcsEmulator.start({ backing, clusters: [CLUSTER], ...others });
    const ecs = new StubEcs(emulator);
    const images = { agentImage: 'agent', sidecarImage: 'sidecar' };
    await ecs.client.send(new RegisterTaskDefinitionCommand(workspaceTaskDefinition(images)));
    emulator.calls.clear();
    return ecs;
  }

  get #sdk() {
    const { url: endpoint, region } = this.emulator;
    return { endpoint, region, credentials: { accessKeyId: 'test', secretAccessKey: 'not-checked' } };
  }

  /** An instance's. It looks often, so that tests wait for tasks and not for its next look. */
  backend(options: Partial<EcsBackendOptions> = {}): EcsBackend {
    const { env, subnets, securityGroups } = this.emulator;
    Object.assign(process.env, env); // where the SDK finds the emulator
    const backend = new EcsBackend({
      installation: INSTALLATION,
      version: '1.2.3',
      cluster: CLUSTER,
      subnets,
      securityGroups,
      capacityProvider: undefined,
      agentPort: 9000,
      proxyAdminPort: 8081,
      logGroup: LOG_GROUP,
      tasks: this.tasks,
      instances: 1,
      runTaskConcurrency: 10,
      pollSeconds: 0.05,
      ...options,
    });
    this.#closing.push(() => void backend.close());
    return backend;
  }

  api(options: Partial<EcsApiOptions> = {}): EcsApi {
    const api = new EcsApi({ cluster: CLUSTER, instances: 1, ...options }, this.#sdk);
    this.#closing.push(() => api.close());
    return api;
  }

  spec(change: Partial<ContainerSpec> = {}): ContainerSpec {
    return containerSpec(FAMILY, change);
  }

  /** What RunTask is called with, less the cluster. */
  runInput(change: Record<string, unknown> = {}) {
    const { subnets, securityGroups } = this.emulator;
    return {
      taskDefinition: FAMILY,
      launchType: 'FARGATE' as const,
      networkConfiguration: {
        awsvpcConfiguration: { subnets: [...subnets], securityGroups: [...securityGroups] },
      },
      ...change,
    };
  }

  /** Starts tasks that are nobody's; ten a call. */
  async runMany(count: number): Promise<void> {
    const calls = Array.from({ length: count / 10 }, () =>
      this.client.send(new RunTaskCommand({ ...this.runInput(), cluster: CLUSTER, count: 10 })),
    );
    await Promise.all(calls);
  }

  /** The newest task that was started for the container, as it is now. */
  taskOf(id: ContainerId) {
    return must(this.emulator.tasks.findLast(({ identity }) => identity.startedBy === `berth/${id}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closing) close();
    await this.emulator.close();
  }
}
