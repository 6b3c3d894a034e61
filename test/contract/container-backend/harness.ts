import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import type { ContainerBackend, ContainerSpec } from '../../../runtime/containers/container-backend.ts';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import type { TestAgent } from './agent-calls.ts';
import { agentOf, containerSpec } from './specs.ts';

export interface BackendUnderTest {
  /** A backend on the same machine, with folders and containers in common with every other that is opened. */
  open(options: { installation: string; agentReadySeconds?: number }): ContainerBackend;
  image: string;
  /** One that could be there and is not; any name, unless the backend may not ask for just any. */
  missingImage?: string;
  /** Two versions of an image; on backends that don't look at names, any. */
  versions?: { before: string; after: string };
  /** Whether anything of a container is there, also of one that is only half made. */
  hasTraces(id: string): boolean;
  remove(): Promise<void>;
}

export const OURS = 'contract-ours';
export const OTHERS = 'contract-others';

/** The backend that a suite runs on, and what its tests have in common. What they make is destroyed after each. */
export class Harness {
  readonly #made: { backend: ContainerBackend; id: ContainerId }[] = [];
  #under: BackendUnderTest | undefined;
  #backend: ContainerBackend | undefined;

  constructor(prepare: () => BackendUnderTest | Promise<BackendUnderTest>) {
    beforeAll(async () => {
      this.#under = await prepare();
      this.#backend = this.#under.open({ installation: OURS });
    });
    afterEach(async () => {
      await Promise.all(this.#made.splice(0).map(({ backend, id }) => backend.destroy(id)));
    });
    afterAll(async () => {
      await this.#backend?.close();
      await this.#under?.remove();
    });
  }

  get under(): BackendUnderTest {
    if (this.#under === undefined) throw new Error('the backend is there within tests only');
    return this.#under;
  }

  get backend(): ContainerBackend {
    if (this.#backend === undefined) throw new Error('the backend is there within tests only');
    return this.#backend;
  }

  spec(change: Partial<ContainerSpec> = {}, owner = this.backend): ContainerSpec {
    const given = containerSpec(this.under.image, change);
    this.#made.push({ backend: owner, id: given.id });
    return given;
  }

  async created(change: Partial<ContainerSpec> = {}): Promise<ContainerSpec> {
    const given = this.spec(change);
    await this.backend.create(given);
    return given;
  }

  agent(spec: ContainerSpec): TestAgent {
    return agentOf(this.backend, spec);
  }

  async expectNotSeen(id: ContainerId): Promise<void> {
    expect(await this.backend.inspect(id)).toBeUndefined();
    expect((await this.backend.list('conversation')).map((view) => view.id)).not.toContain(id);
  }

  async expectNothingOf(id: ContainerId): Promise<void> {
    await this.expectNotSeen(id);
    expect(this.under.hasTraces(id)).toBe(false);
  }

  /** After a create that failed: who can't end a container at once has it on its way out. */
  async expectNothingSoon(id: ContainerId): Promise<void> {
    if (this.backend.capabilities.endsSlowly !== true) return this.expectNothingOf(id);
    await vi.waitFor(() => this.expectNothingOf(id), { timeout: 90_000 });
  }

  /** Until a creation has begun to leave traces. */
  async untilBegun(id: ContainerId): Promise<void> {
    await vi.waitFor(() => expect(this.under.hasTraces(id)).toBe(true), { interval: 1, timeout: 60_000 });
  }

  async expectNotFound(id: ContainerId): Promise<void> {
    const { pause, stats } = this.backend.capabilities;
    const calls = [
      () => this.backend.logs(id, { tail: 1 }),
      ...(pause ? [() => this.backend.pause(id), () => this.backend.resume(id)] : []),
      ...(stats ? [() => this.backend.stats(id)] : []),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ code: 'CONTAINER_NOT_FOUND' });
    }
  }
}
