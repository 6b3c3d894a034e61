import { existsSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { connectEngine } from '../../../../images/builder/engine.ts';
import { DockerBackend } from '../../../../runtime/containers/docker/docker-backend.ts';
import { socketFolderName } from '../../../../runtime/containers/socket-folder.ts';
import type { ContainerId } from '../../../../runtime/contracts/ids.ts';
import { LABEL } from '../../../../runtime/contracts/labels.ts';
import { APP_PORT } from '../../../contract/container-backend/apps/app-calls.ts';
import { AppHarness, OTHERS, OURS } from '../../../contract/container-backend/apps/app-harness.ts';
import { dockerApps } from '../../../contract/container-backend/apps/docker-apps.ts';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';
import { must } from '../../../support/must.ts';
import { describeWith, docker, workspaceImage } from '../../../support/services/provided.ts';

describeWith(['docker', 'workspace-base-image'], 'an app on Docker', () => {
  const harness = new AppHarness(dockerApps);
  const engine = () => connectEngine(docker().host);
  const portOf = (id: ContainerId) => engine().getContainer(`${id}.port`);
  const portLabels = (installation: string) => ({
    [LABEL.installation]: installation,
    [LABEL.role]: 'workspace',
    [LABEL.part]: 'port',
  });
  const makePort = (id: ContainerId, installation: string) =>
    engine().createContainer({
      name: `${id}.port`,
      Image: workspaceImage(),
      Labels: portLabels(installation),
      Cmd: ['sleep', '1000'],
    });

  describe('of which a crash has left a part', () => {
    it('is made anew where its port has ended, and is not taken to run meanwhile', async () => {
      const { spec, app, engineId } = await harness.running();
      await portOf(spec.id).kill();
      await harness.expectState(spec.id, 'exited');
      const listed = await harness.backend.list('workspace');
      expect(listed.find(({ id }) => id === spec.id)?.state).toBe('exited');
      await harness.backend.create(spec);
      await app.untilItListens();
      expect(await harness.engineId(spec.id)).not.toBe(engineId);
    });

    it('is made anew where there is no socket to dial', async () => {
      const { spec, app, engineId } = await harness.running();
      const endpoint = await harness.backend.endpoint(spec.id, APP_PORT);
      if (endpoint.kind === 'socket') rmSync(endpoint.path);
      await harness.expectState(spec.id, 'created');
      await harness.backend.create(spec);
      await app.untilItListens();
      expect(await harness.engineId(spec.id)).not.toBe(engineId);
    });

    it('is made anew where only its port was made, which goes with a destroy, too', async () => {
      const given = harness.spec();
      await makePort(given.id, OURS);
      expect(await harness.backend.inspect(given.id)).toBeUndefined();
      await harness.backend.create(given);
      await harness.app(given).untilItListens();
      await harness.backend.destroy(given.id);
      await makePort(given.id, OURS);
      await harness.backend.destroy(given.id);
      await harness.expectNothingOf(given.id);
    });

    it('keeps its port from a destroy that means another one', async () => {
      const given = harness.spec();
      await makePort(given.id, OURS);
      await harness.backend.destroy(given.id, { engineId: 'f'.repeat(64) });
      expect((await portOf(given.id).inspect()).Name).toBe(`/${given.id}.port`);
    });
  });

  it.each(['', '.port'])('leaves alone what has its name%s and is not ours', async (suffix) => {
    const given = harness.spec();
    const theirs = await engine().createContainer({
      name: `${given.id}${suffix}`,
      Image: workspaceImage(),
      Labels: portLabels(OTHERS),
    });
    try {
      await expect(harness.backend.create(given)).rejects.toMatchObject({
        code: 'CONTAINER_CREATE_FAILED',
        detail: expect.stringContaining(OTHERS),
      });
      await harness.backend.destroy(given.id);
      expect((await theirs.inspect()).Id).toBe(theirs.id);
    } finally {
      await theirs.remove();
    }
  });

  it("does not use another installation's volume", async () => {
    const { id, volume } = harness.names();
    await harness.under.makeVolume(volume, OTHERS);
    const given = harness.spec({ id, app: { volume: { name: volume, mount: '/home/coder' } } });
    await expect(harness.backend.create(given)).rejects.toMatchObject({ code: 'VOLUME_NOT_FOUND' });
    await harness.expectNothingOf(id);
  });

  it('says which image its port lacks', async () => {
    const folder = new TestFolder();
    const backend = new DockerBackend({
      installation: OURS,
      version: '1.2.3',
      dockerHost: docker().host,
      socketBasePath: folder.path,
      helperImage: 'no-such-port:1',
    });
    await expect(backend.create(harness.spec())).rejects.toMatchObject({
      code: 'IMAGE_PULL_FAILED',
      detail: expect.stringContaining('no-such-port:1'),
    });
    await backend.close();
    folder.remove();
  });

  it('has no rights, and with a read-only root no place to write but /tmp', async () => {
    const { app } = await harness.running({ app: { readOnlyRoot: true } });
    expect(await app.bash('id -u; id -G')).toBe('1000\n1000');
    const status = await app.bash("grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp:)' /proc/self/status");
    expect(Object.fromEntries(status.split('\n').map((line) => line.split(/:\s+/)))).toEqual({
      CapEff: '0000000000000000',
      CapBnd: '0000000000000000',
      NoNewPrivs: '1',
      Seccomp: '2',
    });
    expect(await app.bash('touch /home/coder/x 2>&1 || true')).toContain('Read-only file system');
    expect(await app.bash('echo x > /tmp/x && cat /tmp/x')).toBe('x');
  });

  it('is reached by two thousand at once, and its port bears what comes above its bounds', async () => {
    const { spec, app } = await harness.running();
    const endpoint = await harness.backend.endpoint(spec.id, APP_PORT);
    if (endpoint.kind !== 'socket') throw new Error('an app on Docker is dialled at a socket');
    const dial = (count: number) =>
      Array.from({ length: count }, () => connect(endpoint.path).on('error', () => {}));
    const open: Socket[] = dial(2000);
    const opened = () => open.filter(({ readyState }) => readyState === 'open');
    await vi.waitFor(() => expect(opened()).toHaveLength(2000), { timeout: 20_000 });
    expect(await app.call('/')).toBe('the app');
    open.push(...dial(3000));
    const refused = () => open.filter(({ closed }) => closed);
    await vi.waitFor(() => expect(refused().length).toBeGreaterThan(500), { timeout: 20_000 });
    expect(opened().length).toBeGreaterThan(2000);
    for (const socket of open) socket.destroy();
    await vi.waitFor(async () => expect(await app.call('/')).toBe('the app'), { timeout: 20_000 });
    expect((await portOf(spec.id).inspect()).State.Running).toBe(true);
  });

  it('leaves a folder only as long as it is there: the next start removes others', async () => {
    const folder = new TestFolder();
    afterAll(() => folder.remove());
    const { spec } = await harness.running({ id: harness.names(40).id });
    const anHourAgo = Date.now() / 1000 - 3600;
    const stale = socketFolderName(harness.names(40).id);
    for (const name of [stale, 'ws-demo', socketFolderName(spec.id)]) {
      mkdirSync(join(folder.path, name));
      utimesSync(join(folder.path, name), anHourAgo, anHourAgo);
    }
    const next = new DockerBackend({
      installation: OURS,
      version: '1.2.3',
      dockerHost: docker().host,
      socketBasePath: folder.path,
    });
    await next.list('workspace');
    await next.close();
    expect(existsSync(join(folder.path, stale))).toBe(false);
    expect(existsSync(join(folder.path, 'ws-demo'))).toBe(false);
    expect(existsSync(join(folder.path, must(socketFolderName(spec.id))))).toBe(true);
  });
});
