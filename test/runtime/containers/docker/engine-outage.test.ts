import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { DockerBackend } from '../../../../runtime/containers/docker/docker-backend.ts';
import { agentOf, containerSpec } from '../../../contract/container-backend/specs.ts';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';
import { CuttableRelay } from '../../../support/cuttable-relay.ts';
import { describeWith, workspaceImage } from '../../../support/services/provided.ts';
import { openDockerBackend } from './docker-container.ts';
import { engineTarget } from './engine-target.ts';

const UNAVAILABLE = { code: 'BACKEND_UNAVAILABLE' };

describeWith(['docker', 'workspace-base-image'], 'when the engine is away', () => {
  let relay: CuttableRelay;
  let folder: TestFolder;
  let backend: DockerBackend;

  beforeAll(async () => {
    relay = await CuttableRelay.open(engineTarget());
    folder = new TestFolder();
    backend = openDockerBackend(folder.path, `tcp://127.0.0.1:${relay.port}`);
  });

  afterAll(async () => {
    await backend.close();
    await relay[Symbol.asyncDispose]();
    folder.remove();
  });

  it('every call says so at once, and works again when it is back', async () => {
    const given = containerSpec(workspaceImage());
    const unheard = containerSpec(workspaceImage());
    await backend.create(given);
    relay.cut();
    const before = performance.now();
    const results = await Promise.allSettled([
      backend.ping(),
      backend.inspect(given.id),
      backend.list('conversation'),
      backend.logs(given.id, { tail: 1 }),
      backend.stats(given.id),
      backend.hasImage(given.image),
      backend.create(unheard),
      backend.destroy(given.id),
    ]);
    for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
    expect(performance.now() - before).toBeLessThan(2_000);
    // The container lives on, and its agent needs no engine to be reached.
    expect(await agentOf(backend, given).proves()).toBe(true);
    relay.restore();
    expect((await backend.inspect(given.id))?.state).toBe('running');
    await Promise.all([backend.destroy(given.id), backend.destroy(unheard.id)]);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('a creation that it breaks leaves nothing that a later destroy would not take', async () => {
    const direct = openDockerBackend(folder.path);
    const given = containerSpec(workspaceImage());
    const creation = expect(backend.create(given)).rejects.toMatchObject(UNAVAILABLE);
    const made = async () => expect(await direct.inspect(given.id)).toBeDefined();
    await vi.waitFor(made, { interval: 1, timeout: 10_000 });
    relay.cut();
    await creation;
    relay.restore();
    await backend.destroy(given.id);
    expect(await direct.inspect(given.id)).toBeUndefined();
    expect(readdirSync(folder.path)).toEqual([]);
    await direct.close();
  });

  it('a frozen engine is not waited for', async () => {
    relay.freeze();
    const before = performance.now();
    await expect(backend.ping()).rejects.toMatchObject(UNAVAILABLE);
    expect(performance.now() - before).toBeLessThan(8_000);
    relay.restore();
    await backend.ping();
  });

  it('says where it looked', async () => {
    const lost = openDockerBackend(folder.path, 'unix:///nowhere/docker.sock');
    await expect(lost.ping()).rejects.toMatchObject({
      ...UNAVAILABLE,
      detail: expect.stringContaining('unix:///nowhere/docker.sock'),
    });
    await lost.close();
  });
});
