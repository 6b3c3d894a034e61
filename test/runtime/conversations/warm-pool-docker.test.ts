import { afterEach, beforeEach, expect, it } from 'vitest';
import { DockerBackend } from '../../../runtime/containers/docker/docker-backend.ts';
import { TestFolder } from '../../contract/container-backend/test-folder.ts';
import { must } from '../../support/must.ts';
import { describeWith, docker, workspaceImage } from '../../support/services/provided.ts';
import { PoolWorld } from '../pool/pool-world.ts';
import { sharedMemory } from '../pool/shared-states.ts';

describeWith(['docker', 'workspace-base-image'], 'the warm pool with Docker', () => {
  let world: PoolWorld;
  beforeEach(async () => {
    const folder = new TestFolder();
    world = await PoolWorld.open(await sharedMemory(), {
      open: (options) =>
        new DockerBackend({
          version: '1.2.3',
          dockerHost: docker().host,
          socketBasePath: folder.path,
          ...options,
        }),
      image: workspaceImage(),
      hasTraces: () => false,
      remove: async () => folder.remove(),
    });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  it('is full again after a claim, and gives up on closing what is being made', async () => {
    const pool = await world.pool();
    await pool.runOnce();
    await world.untilReady(2);
    const claimed = must(await world.claim());
    pool.wake();
    const members = await world.untilReady(2, [claimed]);
    await pool.configure({ min: 4, max: 4 });
    await pool.close();
    expect(await world.members()).toEqual(members);
    expect(await world.containers()).toHaveLength(3);
  });

  it('waits for the next cycle after the image was missing', async () => {
    world.imageMissing = true;
    const pool = await world.pool();
    await pool.runOnce();
    await world.untilFailed(2);
    await world.untilWoken(pool);
    expect(world.creations.begun).toBe(2);
    world.imageMissing = false;
    await pool.runOnce();
    await world.untilReady(2);
  });
});
