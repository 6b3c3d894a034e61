import { expect, it, vi } from 'vitest';
import { connectEngine } from '../../../../images/builder/engine.ts';
import { AppHarness } from '../../../contract/container-backend/apps/app-harness.ts';
import { dockerApps } from '../../../contract/container-backend/apps/docker-apps.ts';
import { must } from '../../../support/must.ts';
import { describeWith, docker } from '../../../support/services/provided.ts';

const MiB = 1024 * 1024;
const images = ['workspace-base-image', 'function-node-image', 'function-python-image'] as const;

describeWith(['docker', ...images], 'a worker on Docker', () => {
  const harness = new AppHarness(dockerApps, 'function');

  it('has its limits and no rights, and is its image’s own user', async () => {
    const limits = { cpus: 1, memoryBytes: 512 * MiB, pids: 128 };
    const given = harness.spec({
      image: must(harness.under.functionImages).node,
      env: { HANDLER_SOURCE: 'export default () => process.getuid()' },
      limits,
    });
    delete given.app?.user;
    await harness.backend.create(given);
    const { Config, HostConfig } = await connectEngine(docker().host).getContainer(given.id).inspect();
    expect(Config.User).toBe('1000:1000');
    expect(HostConfig).toMatchObject({
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: 1e9,
      PidsLimit: limits.pids,
      CapDrop: ['ALL'],
      ReadonlyRootfs: true,
      NetworkMode: expect.stringMatching(/^container:[0-9a-f]{64}$/),
      SecurityOpt: expect.arrayContaining(['no-new-privileges:true']),
    });
    expect(HostConfig.Tmpfs).toEqual({ '/tmp': expect.stringContaining('nosuid,nodev') });
    expect(HostConfig.Binds ?? HostConfig.Mounts ?? []).toEqual([]);
    const call = () => harness.app(given).call('/', '{}');
    await vi.waitFor(async () => expect(await call()).toBe('1000'), { timeout: 20_000 });
  });

  it('that takes more memory than it has is known by that', async () => {
    const given = harness.spec({
      image: must(harness.under.functionImages).node,
      env: {
        HANDLER_SOURCE:
          'export default () => { const all = []; for (;;) all.push(Buffer.alloc(2 ** 20, 1)); }',
      },
      limits: { cpus: 1, memoryBytes: 96 * MiB, pids: 64 },
    });
    await harness.backend.create(given);
    await vi.waitFor(
      async () => expect(await harness.backend.logs(given.id, { tail: 1 })).toContain('listens'),
      {
        timeout: 20_000,
      },
    );
    expect(await harness.backend.stats(given.id)).toMatchObject({ oomEvents: 0 });
    const before = Date.now();
    await expect(harness.app(given).call('/', '{}')).rejects.toThrow();
    await harness.expectState(given.id, 'exited');
    const exit = (await harness.backend.inspect(given.id))?.exit;
    expect(exit).toMatchObject({ code: 137, oomKilled: true });
    expect(exit?.at).toBeGreaterThan(before - 1_000);
    expect(await harness.backend.stats(given.id)).toMatchObject({ oomEvents: 1, memoryBytes: 0, pids: 0 });
  });
});
