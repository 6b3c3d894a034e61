import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import type { ContainerBackend, ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import {
  type ContainerId,
  homeVolume,
  newWorkerId,
  parseFunctionName,
  parseWorkspaceId,
  type VolumeName,
  workspaceContainerId,
} from '../../../../runtime/contracts/ids.ts';
import { must } from '../../../support/must.ts';
import { APP_PORT, TestApp } from './app-calls.ts';

export interface AppsUnderTest {
  /** A backend on the same machine, with folders, volumes and containers in common with every other that is opened. */
  open(options: { installation: string; agentReadySeconds?: number }): ContainerBackend;
  /** Its program is test/support/fixtures/test-app.ts. */
  image: string;
  /** Those of images/function-node and images/function-python. */
  functionImages?: { node: string; python: string };
  makeVolume(name: VolumeName, installation: string): Promise<void>;
  hasVolume(name: VolumeName): Promise<boolean>;
  /** Whether anything of a container is there, also of one that is only half made. */
  hasTraces(id: ContainerId): Promise<boolean>;
  remove(): Promise<void>;
}

export const OURS = 'apps-ours';
export const OTHERS = 'apps-others';
const MiB = 1024 * 1024;

/** Of the egress proxy beside it, on backends where it has one. */
export const PROXY_ENV = { PROXY_ADMIN_KEY: 'k'.repeat(64) };

type Change = Partial<Omit<ContainerSpec, 'app'>> & { app?: Partial<NonNullable<ContainerSpec['app']>> };

/** What the tests of apps have in common. What they make is destroyed after each. */
export class AppHarness {
  readonly #made: { backend: ContainerBackend; id: ContainerId }[] = [];
  #under: AppsUnderTest | undefined;
  #backend: ContainerBackend | undefined;
  #others: ContainerBackend | undefined;
  readonly role: 'workspace' | 'function';

  constructor(prepare: () => Promise<AppsUnderTest>, role: 'workspace' | 'function' = 'workspace') {
    this.role = role;
    beforeAll(async () => {
      this.#under = await prepare();
      this.#backend = this.#under.open({ installation: OURS });
      this.#others = this.#under.open({ installation: OTHERS });
    });
    afterEach(async () => {
      await Promise.all(this.#made.splice(0).map(({ backend, id }) => backend.destroy(id)));
    });
    afterAll(async () => {
      await this.#backend?.close();
      await this.#others?.close();
      await this.#under?.remove();
    });
  }

  get under(): AppsUnderTest {
    return must(this.#under);
  }

  get backend(): ContainerBackend {
    return must(this.#backend);
  }

  get others(): ContainerBackend {
    return must(this.#others);
  }

  /** An id that nobody has yet, and its volume's. */
  names(length = 8): { id: ContainerId; volume: VolumeName } {
    const name = `t${randomBytes(length).toString('hex')}`.slice(0, length - 1);
    const workspace = must(parseWorkspaceId(`${name}x`));
    return { id: workspaceContainerId(workspace), volume: homeVolume(workspace) };
  }

  /** An id that nobody has yet, of a workspace or a function whose name is so long. */
  id(length = 8): ContainerId {
    if (this.role === 'workspace') return this.names(length).id;
    return newWorkerId(must(parseFunctionName('f'.repeat(length))));
  }

  spec(change: Change = {}, owner = this.backend): ContainerSpec {
    const { app, ...others } = change;
    const given: ContainerSpec = {
      id: this.id(),
      role: this.role,
      image: this.under.image,
      env: {},
      proxyEnv: PROXY_ENV,
      labels: {},
      limits: { cpus: 1, memoryBytes: 256 * MiB, pids: 128 },
      network: 'none',
      ...others,
      app: { port: APP_PORT, user: '1000:1000', readOnlyRoot: this.role === 'function', ...app },
    };
    this.#made.push({ backend: owner, id: given.id });
    return given;
  }

  /** Created, and its program listens. */
  async running(change: Change = {}): Promise<{ spec: ContainerSpec; app: TestApp; engineId: string }> {
    const spec = this.spec(change);
    await this.backend.create(spec);
    const app = this.app(spec);
    await app.untilItListens();
    return { spec, app, engineId: await this.engineId(spec.id) };
  }

  app({ id }: ContainerSpec, backend = this.backend): TestApp {
    return new TestApp(backend, id);
  }

  async engineId(id: ContainerId): Promise<string> {
    return must(await this.backend.inspect(id)).engineId;
  }

  async expectState(id: ContainerId, state: string): Promise<void> {
    await vi.waitFor(async () => expect((await this.backend.inspect(id))?.state).toBe(state), {
      timeout: 10_000,
    });
  }

  async expectNothingOf(id: ContainerId): Promise<void> {
    expect(await this.backend.inspect(id)).toBeUndefined();
    expect((await this.backend.list(this.role)).map((view) => view.id)).not.toContain(id);
    expect(await this.under.hasTraces(id)).toBe(false);
  }

  /** Of a creation that failed: told to go, it may take its time. */
  async expectNothingSoon(id: ContainerId): Promise<void> {
    await vi.waitFor(() => this.expectNothingOf(id), { timeout: 20_000, interval: 50 });
  }

  /** Until a creation has begun to leave traces. */
  async untilBegun(id: ContainerId): Promise<void> {
    const begun = async () => expect(await this.under.hasTraces(id)).toBe(true);
    await vi.waitFor(begun, { interval: 1, timeout: 10_000 });
  }
}
