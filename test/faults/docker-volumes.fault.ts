import type { ChildProcess } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { connectEngine } from '../../images/builder/engine.ts';
import type { DockerBackend } from '../../runtime/containers/docker/docker-backend.ts';
import { STRAY } from '../../runtime/containers/docker/helper-options.ts';
import type { VolumeBackend } from '../../runtime/containers/volume-backend.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { TestFolder } from '../contract/container-backend/test-folder.ts';
import { dockerVolumes, helpersOf, openDockerVolumes } from '../contract/volume-backend/docker-volumes.ts';
import { startRuntime } from '../contract/volume-backend/runtime-process.ts';
import { OURS, signal, VolumeHarness } from '../contract/volume-backend/volumes-under-test.ts';
import { engineTarget } from '../runtime/containers/docker/engine-target.ts';
import { CuttableRelay } from '../support/cuttable-relay.ts';
import { must } from '../support/must.ts';
import { describeWith, docker } from '../support/services/provided.ts';

const UNAVAILABLE = { code: 'BACKEND_UNAVAILABLE' };

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describeWith(['docker', 'workspace-base-image'], 'volumes of the engine', () => {
  const harness = new VolumeHarness(dockerVolumes);
  let engine: Docker;
  let relay: CuttableRelay;
  let folder: TestFolder;
  let backend: DockerBackend;
  let behindRelay: VolumeBackend;
  let runtime: ChildProcess | undefined;

  beforeAll(async () => {
    engine = connectEngine(docker().host);
    relay = await CuttableRelay.open(engineTarget());
    folder = new TestFolder();
    backend = openDockerVolumes(folder.path, `tcp://127.0.0.1:${relay.port}`, OURS);
    behindRelay = must(backend.volumes);
  });

  afterEach(() => {
    relay.restore();
    runtime?.kill('SIGKILL');
  });

  afterAll(async () => {
    await backend.close();
    await relay[Symbol.asyncDispose]();
    folder.remove();
  });

  it('are labelled as ours, and as a workspace', async () => {
    const name = await harness.provisioned();
    expect((await engine.getVolume(name).inspect()).Labels).toEqual({
      [LABEL.installation]: OURS,
      [LABEL.role]: 'workspace',
      [LABEL.workspaceId]: name.slice('ws-'.length, -'-home'.length),
      [LABEL.createdAt]: expect.stringMatching(/^\d{4}-/),
      [LABEL.version]: '1.2.3',
    });
  });

  it('are read by a container that has nothing else', async () => {
    const name = await harness.filled(48);
    const { content } = await harness.volumes.archive(name, signal());
    const [helper] = await helpersOf(engine, name);
    const { Config, HostConfig, Mounts } = await engine.getContainer(must(helper).Id).inspect();
    content.destroy();
    expect(Mounts).toEqual([expect.objectContaining({ Type: 'volume', Name: name, Destination: '/volume' })]);
    expect(HostConfig).toMatchObject({
      NetworkMode: 'none',
      LogConfig: { Type: 'none' },
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      CapAdd: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID'],
      Init: true,
      Privileged: false,
      PidsLimit: 32,
      Memory: 512 * 1024 * 1024,
    });
    expect(HostConfig.SecurityOpt).toContain('no-new-privileges:true');
    expect(HostConfig.SecurityOpt).toContainEqual(expect.stringMatching(/^seccomp=\{/));
    expect(Config.Labels).toMatchObject({ [LABEL.part]: 'volume-helper', [LABEL.partOf]: name });
    expect(Config.Labels).not.toHaveProperty([LABEL.role]);
  });

  it('can be used while a runtime that archives them sleeps', async () => {
    const name = await harness.filled(48);
    runtime = await startRuntime(harness.under.opening, name);
    runtime.kill('SIGSTOP');
    expect((await harness.archived(name)).entries).toBe(2);
    await harness.volumes.delete(name);
    expect(await harness.volumes.find(name)).toBeUndefined();
  });

  it('that came to be because a container named them are none, and make room', async () => {
    const name = harness.name();
    const Labels = { [LABEL.installation]: OURS, [LABEL.part]: STRAY };
    for (const call of ['provision', 'delete'] as const) {
      await engine.createVolume({ Name: name, Labels });
      expect(await harness.volumes.find(name)).toBeUndefined();
      await expect(harness.volumes.archive(name, signal())).rejects.toMatchObject({
        code: 'VOLUME_NOT_FOUND',
      });
      await harness.volumes[call](name);
      expect((await harness.volumes.find(name)) !== undefined).toBe(call === 'provision');
      await harness.volumes.delete(name);
    }
    expect((await engine.listVolumes()).Volumes.map(({ Name }) => Name)).not.toContain(name);
  });

  it('are not to be had while the engine is away', async () => {
    const name = await harness.provisioned();
    relay.cut();
    const before = performance.now();
    const results = await Promise.allSettled([
      behindRelay.provision(name),
      behindRelay.find(name),
      behindRelay.list(),
      behindRelay.delete(name),
      behindRelay.archive(name, signal()),
      behindRelay.restore(name, Readable.from([]), { key: 'k', sha256: '' }, signal()),
    ]);
    for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it('give no archive when the engine goes in the middle, and a whole one when it is back', async () => {
    const name = await harness.filled(48);
    const { content } = await behindRelay.archive(name, signal());
    const pieces = content.iterator();
    await pieces.next();
    relay.cut();
    const read = pipeline(pieces, new Writable({ write: (_piece, _encoding, done) => done() }));
    await expect(read).rejects.toMatchObject(UNAVAILABLE);
    relay.restore();
    expect((await harness.archived(name)).entries).toBe(2);
  });

  it('have no marker when the engine goes in the middle of a restore', async () => {
    const name = await harness.filled(1);
    const archive = await harness.archived(name);
    const { restored } = await harness.restoringHalf(name, archive, signal(), behindRelay);
    relay.cut();
    expect(await restored).toMatchObject(UNAVAILABLE);
    relay.restore();
    expect(await harness.names(name)).not.toContain('.berth-restored');
    await harness.restore(name, archive);
    expect(await harness.names(name)).toContain('.berth-restored');
  });
});
