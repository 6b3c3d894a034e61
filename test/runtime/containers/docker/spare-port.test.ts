import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { connectEngine } from '../../../../images/builder/engine.ts';
import type { ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import { containerOf } from '../../../../runtime/containers/docker/app-options.ts';
import { DockerBackend } from '../../../../runtime/containers/docker/docker-backend.ts';
import { socketFolderName } from '../../../../runtime/containers/socket-folder.ts';
import type { ContainerId } from '../../../../runtime/contracts/ids.ts';
import { LABEL } from '../../../../runtime/contracts/labels.ts';
import { TestApp } from '../../../contract/container-backend/apps/app-calls.ts';
import { AppHarness } from '../../../contract/container-backend/apps/app-harness.ts';
import { dockerApps } from '../../../contract/container-backend/apps/docker-apps.ts';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';
import { must } from '../../../support/must.ts';
import { describeWith, docker, workspaceImage } from '../../../support/services/provided.ts';

const MINUTE = 60_000;

describeWith(['docker', 'workspace-base-image'], 'the port that waits for a workspace', () => {
  const harness = new AppHarness(dockerApps);
  const engine = connectEngine(docker().host);
  let installation: string;
  let folder: TestFolder;
  let backend: DockerBackend;
  const open = () =>
    new DockerBackend({
      ...{ installation, version: '1.2.3', dockerHost: docker().host },
      ...{ socketBasePath: folder.path, helperImage: workspaceImage() },
    });

  beforeEach(() => {
    installation = `spare-${randomBytes(4).toString('hex')}`;
    folder = new TestFolder();
    backend = open();
  });
  afterEach(async () => {
    for (const { id } of await backend.list('workspace')) await backend.destroy(id);
    await backend.close();
    expect(await containers()).toEqual([]);
    expect(readdirSync(folder.path)).toEqual([]);
    folder.remove();
  });

  const containers = async (of = installation) => {
    const label = [`${LABEL.installation}=${of}`];
    const found = await engine.listContainers({ all: true, filters: { label } });
    return found.map(({ Id, Names }) => ({ engineId: Id, name: (Names[0] ?? '').slice(1) }));
  };
  const spares = async () => (await containers()).filter(({ name }) => /^spare-[0-9a-f]{12}/.test(name));
  /** Once its program listens; the backend may be a moment behind. */
  const spare = async () => {
    const found = await vi.waitFor(async () => must((await spares())[0]), { timeout: 20_000, interval: 20 });
    const socket = join(folder.path, socketFolderName(containerOf(found.name) as ContainerId), 'agent.sock');
    await vi.waitFor(() => expect(existsSync(socket)).toBe(true), { timeout: 20_000, interval: 20 });
    await sleep(1_000);
    return found;
  };
  const make = async (spec: ContainerSpec = harness.spec({}, backend)) => {
    await backend.create(spec);
    const app = new TestApp(backend, spec.id);
    await app.untilItListens();
    expect(await app.call('/')).toBe('the app');
    const port = (await containers()).find(({ name }) => name === `${spec.id}.port`);
    return { spec, port: must(port) };
  };

  it('is started after the first, and is the next one’s', async () => {
    expect(await spares()).toEqual([]);
    await make();
    const waiting = await spare();
    const { port } = await make();
    expect(port.engineId).toBe(waiting.engineId);
    expect((await spare()).engineId).not.toBe(waiting.engineId);
  });

  it.each<[string, (engineId: string) => Promise<unknown>]>([
    ['has ended', (engineId) => engine.getContainer(engineId).kill()],
    ['was removed', (engineId) => engine.getContainer(engineId).remove({ force: true })],
  ])('is not missed where it %s', async (_, harm) => {
    await make();
    const { engineId } = await spare();
    await harm(engineId);
    const { port } = await make();
    expect(port.engineId).not.toBe(engineId);
  });

  it('is not for an app with another port', async () => {
    await make();
    const { engineId } = await spare();
    const other = harness.spec({ app: { port: 8123 } }, backend);
    await backend.create(other);
    const port = (await containers()).find(({ name }) => name === `${other.id}.port`);
    expect(port?.engineId).not.toBe(engineId);
    expect(await spares()).toHaveLength(1);
  });

  it('gives way to whoever has the name already', async () => {
    await make();
    await spare();
    const taken = harness.spec({}, backend);
    const theirs = await engine.createContainer({ name: `${taken.id}.port`, Image: workspaceImage() });
    try {
      await expect(backend.create(taken)).rejects.toMatchObject({ code: 'CONTAINER_CREATE_FAILED' });
      expect((await theirs.inspect()).Id).toBe(theirs.id);
    } finally {
      await theirs.remove();
    }
  });

  it('is removed when a crash has left it, but not while it may be in use', async () => {
    const leave = async (minutes: number, of = installation) => {
      const name = `spare-${randomBytes(6).toString('hex')}.port`;
      const Labels = {
        [LABEL.installation]: of,
        [LABEL.role]: 'workspace',
        [LABEL.part]: 'port',
        [LABEL.createdAt]: new Date(Date.now() - minutes * MINUTE).toISOString(),
      };
      await engine.createContainer({ name, Image: workspaceImage(), Labels });
      return name;
    };
    const others = `${installation}-others`;
    const [old, young, theirs] = [await leave(60), await leave(4), await leave(60, others)];
    expect(await backend.list('workspace')).toEqual([]);
    const names = (await spares()).map(({ name }) => name);
    expect(names).toEqual([young]);
    expect(names).not.toContain(old);
    expect((await containers(others)).map(({ name }) => name)).toEqual([theirs]);

    await backend.clearUp();
    expect(await spares()).toEqual([]);
    await engine.getContainer(theirs).remove();
  });
});
