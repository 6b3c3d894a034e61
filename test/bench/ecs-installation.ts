import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ECSClient, RegisterTaskDefinitionCommand } from '@aws-sdk/client-ecs';
import { EcsEmulator, type EmulatorOptions } from '../support/ecs-emulator/ecs-emulator.ts';
import { stubBacking } from '../support/ecs-emulator/stub/stub-backing.ts';
import { workspaceTaskDefinition } from '../support/ecs-emulator/workspace-task-definition.ts';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { type BenchSetting, onRedis } from './bench-setting.ts';
import { EcsContainers } from './ecs-containers.ts';

const CLUSTER = 'berth';
const FAMILY = 'workspace-agent';
/** How often an instance looks at the tasks that it waits for, by ECS' clock. */
export const POLL_SECONDS = 2;
const LOOK_MS = 50;
const QUIET_MS = 500;
const PATIENCE_MS = 90_000;

/** Longer than the bench: only what it asks for itself leads to a sweep, or a look at everyone's health. */
const NEVER = '86400';

/** Runtimes of their own processes over one Redis and one ECS, whose tasks are servers of this process. */
export class EcsInstallation implements AsyncDisposable {
  readonly emulator: EcsEmulator;
  readonly #env: Record<string, string>;
  readonly #open: AsyncDisposableStack;
  readonly #instances: RuntimeProcess[] = [];

  private constructor(emulator: EcsEmulator, env: Record<string, string>, open: AsyncDisposableStack) {
    this.emulator = emulator;
    this.#env = env;
    this.#open = open;
  }

  static async open(
    setting: BenchSetting,
    options: Pick<EmulatorOptions, 'delays'> & { speed: number },
  ): Promise<EcsInstallation> {
    await using open = new AsyncDisposableStack();
    const containers = open.use(new EcsContainers());
    const backing = stubBacking({ startAgent: (container) => containers.start(container) });
    const emulator = open.use(await EcsEmulator.start({ backing, clusters: [CLUSTER], ...options }));
    await registerWorkspace(emulator);
    const env = {
      ...onRedis(setting, setting.redisUrl, randomBytes(32).toString('hex')),
      ...onEcs(emulator, options.speed),
      HEALTH_CHECK_INTERVAL_SECONDS: NEVER,
      GC_INTERVAL_SECONDS: NEVER,
      GRACE_PERIOD_SECONDS: '1',
    };
    return new EcsInstallation(emulator, env, open.move());
  }

  /** So many more. Resolves once what they do at their start is over. They have no pool until it is given a size. */
  async start(count: number): Promise<RuntimeProcess[]> {
    const starting = Array.from({ length: count }, async () =>
      this.#open.use(await RuntimeProcess.start({ env: this.#env })),
    );
    await Promise.allSettled(starting); // one that fails must not hide the others from the stack
    const started = await Promise.all(starting);
    for (let before = -1; before !== this.emulator.calls.all.length; ) {
      before = this.emulator.calls.all.length;
      await sleep(QUIET_MS);
    }
    this.#instances.push(...started);
    return started;
  }

  /** By all instances at once. Resolves once so many members are ready, and none is being made. */
  async fillPool(size: number): Promise<void> {
    await this.sizePool({ min: size, max: size });
    const late = performance.now() + PATIENCE_MS;
    for (let now = await this.pool(); now.size !== size || now.starting > 0; now = await this.pool()) {
      if (performance.now() > late) throw new Error(`the pool has ${now.size} of ${size} members`);
      await sleep(LOOK_MS);
    }
  }

  /** Told to each instance, so that each looks at once. */
  async sizePool({ min, max }: { min: number; max: number }): Promise<void> {
    for (const runtime of this.#instances) {
      const answer = await runtime.fetch('/v1/warm-pool', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ min_size: min, max_size: max }),
      });
      if (!answer.ok) throw new Error(`the pool can't be sized: ${await answer.text()}`);
    }
  }

  async pool(): Promise<{ size: number; starting: number }> {
    const answer = await must(this.#instances[0]).fetch('/v1/warm-pool');
    return (await answer.json()) as { size: number; starting: number }; // the cast: as the API says
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#open.disposeAsync();
  }
}

/** Runs a command that does nothing; throws unless it went well. */
export async function runCommand(runtime: RuntimeProcess, conversation: string): Promise<void> {
  const answer = await runtime.exec(conversation, ['true']);
  if (answer.exit_code !== 0) throw new Error(`a command failed: ${JSON.stringify(answer)}`);
}

function onEcs(emulator: EcsEmulator, speed: number): Record<string, string> {
  return {
    ...emulator.env,
    CONTAINER_MANAGER_TYPE: 'ecs',
    ECS_CLUSTER: CLUSTER,
    ECS_TASK_DEFINITION: FAMILY,
    ECS_SUBNETS: emulator.subnets.join(','),
    ECS_SECURITY_GROUPS: emulator.securityGroups.join(','),
    ECS_POLL_SECONDS: String(POLL_SECONDS / speed),
    ECS_INSTANCES: '1', // what AWS allows goes by its clock, which is fast
    ECS_WARM_POOL_MIN_SIZE: '0',
    ECS_WARM_POOL_MAX_SIZE: '0',
  };
}

async function registerWorkspace({ url, region, env }: EcsEmulator): Promise<void> {
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = env;
  const client = new ECSClient({ endpoint: url, region, credentials: { accessKeyId, secretAccessKey } });
  const images = { agentImage: 'workspace-base', sidecarImage: 'proxy-sidecar' };
  await client.send(
    new RegisterTaskDefinitionCommand(workspaceTaskDefinition({ ...images, family: FAMILY })),
  );
  client.destroy();
}
