import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import type { CheckpointName } from '../../runtime/lifecycle/checkpoint.ts';
import { type ContainerPlace, onEngine } from './container-place.ts';
import { RuntimeProcess } from './runtime-process.ts';
import { objectStore } from './services/provided.ts';

const WITH_CHECKPOINTS = fileURLToPath(new URL('./fixtures/runtime-with-fault.ts', import.meta.url));

export interface Fault {
  at: CheckpointName;
  /** `kill`: -9. `freeze`: SIGSTOP, until the test wakes it. */
  do: 'kill' | 'freeze';
}

export interface ShownContainer {
  container_id: string;
  state: string;
  owner:
    | 'warm'
    | 'starting'
    | 'stopping'
    | null
    | { tenant: string; conversation_id: string; status: string };
}

/** Of a pool of so many, on every backend. */
export const poolOf = (size: number): Record<string, string> =>
  Object.fromEntries(
    ['', 'ECS_'].flatMap((prefix) => [
      [`${prefix}WARM_POOL_MIN_SIZE`, String(size)],
      [`${prefix}WARM_POOL_MAX_SIZE`, String(size)],
    ]),
  );

/** Makes a cluster of a test's own on whatever place; its Redis is the run's unless said. */
export type OpenCluster = (env?: Record<string, string>, redisUrl?: string) => Cluster;

/** Any number of runtimes over one Redis, one backend and one object store: an installation of a test's own. */
export class Cluster implements AsyncDisposable {
  readonly installation = `faults-${randomBytes(4).toString('hex')}`;
  readonly place: ContainerPlace;
  readonly #env: Record<string, string>;
  readonly #instances: RuntimeProcess[] = [];
  #folder: string | undefined;

  constructor(redisUrl: string, env: Record<string, string> = {}, place = onEngine()) {
    const { url, env: aws } = objectStore();
    this.place = place;
    this.#env = {
      ...place.env,
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: `${this.installation}:`,
      OBJECT_STORE_URL: `${url}/${this.installation}`,
      DATABASE_URL: 'postgres://localhost/unused',
      BERTH_INSTALLATION: this.installation,
      BERTH_SECRET: randomBytes(32).toString('hex'),
      ...aws,
      // Soon, so that a test sees what otherwise takes minutes.
      GC_INTERVAL_SECONDS: '1',
      ORPHAN_GRACE_PERIOD_SECONDS: '2',
      GRACE_PERIOD_SECONDS: '2',
      ...env,
    };
  }

  /** For another program of this installation, with a data directory of its own. */
  env(dataDir: string): Record<string, string> {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'berth-cluster-'));
    return { ...this.#env, BERTH_DATA_DIR: join(this.#folder, dataDir), LOG_LEVEL: 'warn' };
  }

  async start(env: Record<string, string> = {}, fault?: Fault): Promise<RuntimeProcess> {
    const runtime = await RuntimeProcess.start({
      env: {
        ...this.#env,
        ...env,
        ...(fault === undefined ? {} : { TEST_FAULT: `${fault.do} ${fault.at}` }),
      },
      ...(fault === undefined ? {} : { main: WITH_CHECKPOINTS }),
    });
    this.#instances.push(runtime);
    return runtime;
  }

  /** How many containers there are of this installation, by the word of whoever runs them. */
  containers(): Promise<number> {
    return this.place.count(this.installation);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#instances.map(async (runtime) => {
        runtime.child.kill('SIGCONT');
        await runtime[Symbol.asyncDispose]();
      }),
    );
    await this.place.removeAll(this.installation);
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function shownContainers(runtime: RuntimeProcess): Promise<ShownContainer[]> {
  const answer = await runtime.fetch('/v1/containers');
  if (answer.status !== 200) throw new Error(`GET /v1/containers answered ${answer.status}`);
  return ((await answer.json()) as { containers: ShownContainer[] }).containers;
}

export const eventually = <T>(check: () => Promise<T> | T, seconds = 60): Promise<T> =>
  vi.waitFor(check, { timeout: seconds * 1000, interval: 250 });
