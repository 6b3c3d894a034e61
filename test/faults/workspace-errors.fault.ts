import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { expect, it } from 'vitest';
import { volumeLabels } from '../../runtime/containers/ownership.ts';
import { homeVolume, parseWorkspaceId } from '../../runtime/contracts/ids.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { eventually } from '../support/cluster.ts';
import { type ReadEvent, readEvents } from '../support/event-reading.ts';
import { describeTree, makeTree } from '../support/home-tree.ts';
import { must } from '../support/must.ts';
import { OneImageRegistry } from '../support/one-image-registry.ts';
import { describeWith, editorImage, workspaceImage } from '../support/services/provided.ts';
import { TINY_IMAGE, tinyImage } from '../support/tiny-image.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';
import { WORKSPACE_SERVICES, WorkspaceCluster } from '../support/workspace-cluster.ts';

// What stands in the way of a workspace: each has its code, is tried again where that can help, and is over once it is
// out of the way and somebody says `retry`.

const OTHERS = 'another-installation';

describeWith(WORKSPACE_SERVICES, 'a workspace', () => {
  it.concurrent('whose image there is not is not tried again, until that is there', async () => {
    await using registry = createServer((request, response) => {
      // It speaks the protocol, and has nothing.
      response.writeHead(request.url === '/v2/' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown' }] }));
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
    const repo = `127.0.0.1:${portOf(registry)}/missing`;
    await using here = await WorkspaceCluster.open({ ALLOWED_IMAGES: repo });
    const runtime = await here.cluster.start();
    const workspace = await WorkspaceCalls.make(runtime, here.name(), { image_ref: `${repo}:1` });
    await workspace.fails({ code: 'IMAGE_PULL_FAILED', count: 1, terminal: true });
    expect((await workspace.visit()).status).toBe(502);

    await here.engine.getImage(editorImage()).tag({ repo, tag: '1' });
    await using _image = {
      [Symbol.asyncDispose]: () => here.engine.getImage(`${repo}:1`).remove({ force: true }),
    };
    await retried(workspace);
    await workspace.delete();
    await workspace.gone();
  });

  it.concurrent('tells who follows it how far its image is, and what is wrong with it', async () => {
    await using registry = await OneImageRegistry.open(['/no-such-program']);
    const { repository } = registry;
    await using here = await WorkspaceCluster.open({ ALLOWED_IMAGES: repository });
    await using _image = {
      [Symbol.asyncDispose]: async () => {
        await here.engine.getImage(`${repository}:1`).remove({ force: true });
      },
    };
    const runtime = await here.cluster.start();
    const workspace = await WorkspaceCalls.make(runtime, here.name(), { image_ref: `${repository}:1` });
    const told: ReadEvent[] = [];
    const following = (async () => {
      const events = await runtime.fetch(`/v1/workspaces/${workspace.id}/events`);
      for await (const event of readEvents(events)) told.push(event);
    })();
    const of = (kind: string) => told.filter(({ type }) => type === kind).map(({ data }) => data);

    await eventually(() =>
      expect(of('progress')).toContainEqual({
        operation: 'STARTING',
        message: expect.stringMatching(/pulling/i),
      }),
    );
    expect(of('error')).toEqual([]);
    registry.give();
    await eventually(() =>
      expect(of('error')).toContainEqual(expect.objectContaining({ code: 'HEALTH_CHECK_FAILED', count: 1 })),
    );
    expect(of('state_changed')).toContainEqual(expect.objectContaining({ operation: 'STARTING' }));
    await workspace.delete();
    await workspace.gone();
    await following; // it ends with the workspace
    expect(of('state_changed').at(-1)).toMatchObject({ observed_status: 'DELETED' });
  });

  it.concurrent.for([
    {
      image: 'ends at once',
      script: 'console.log("no settings"); process.exit(3)',
      says: /exit code 3 .*no settings/s,
    },
    {
      image: 'never listens',
      script: 'console.log("thinking"); setInterval(() => {}, 1000)',
      says: /port 8080 within 2 s.*thinking/s,
    },
  ])(
    'whose image $image is tried three times, and then not before it is another',
    async ({ script, says }) => {
      const image = await tinyImage(script);
      await using here = await WorkspaceCluster.open({ ALLOWED_IMAGES: TINY_IMAGE });
      const hasty = await here.cluster.start({ HEALTH_CHECK_TIMEOUT_SECONDS: '2' });
      const workspace = await WorkspaceCalls.make(hasty, here.name(), { image_ref: image });
      const { id } = workspace;
      const code = 'HEALTH_CHECK_FAILED';
      for (const count of [1, 2]) {
        await workspace.fails({ code, count, terminal: false, message: expect.stringMatching(says) });
        const [row] = await here.sql('SELECT retry_at - error_at AS wait FROM workspaces WHERE id = $1', [
          id,
        ]);
        expect(Number(row?.wait)).toBe(30_000);
        expect(await here.containers(id)).toEqual([]);
        await here.isDue(id);
      }
      await workspace.fails({ code, count: 3, terminal: true, message: expect.stringMatching(says) });
      expect(await here.containers(id)).toEqual([]);
      expect(await here.hasVolume(id)).toBe(true);

      await hasty.stop();
      const patient = workspace.at(await here.cluster.start());
      await patient.change({ image_ref: editorImage() });
      await patient.fails({ code, terminal: true });
      await retried(patient);
    },
  );

  it.concurrent('whose disk is full is tried three times, and has all of its home once there is room', async () => {
    await using here = await WorkspaceCluster.open();
    const workspace = await WorkspaceCalls.make(await here.cluster.start(), here.name());
    const { id } = workspace;
    await workspace.settles({ observed_status: 'RUNNING' });
    await workspace.want('STANDBY');
    await workspace.settles({ observed_status: 'STANDBY' });
    await makeTree(here.home(id));
    const tree = await describeTree(here.home(id));
    await workspace.want('PENDING');
    await workspace.settles({ observed_status: 'PENDING', archived: true });
    await workspace.runtime.stop();
    await plantVolume(here, id, here.cluster.installation, { type: 'tmpfs', device: 'tmpfs', o: 'size=1m' });
    await here.sql(
      "UPDATE workspaces SET desired_state = 'RUNNING', desired_version = desired_version + 1 WHERE id = $1",
      [id],
    );

    const woken = workspace.at(await here.cluster.start());
    for (const count of [1, 2]) {
      await woken.fails({ code: 'DISK_FULL', count, terminal: false });
      await here.isDue(id);
    }
    await woken.fails({ code: 'DISK_FULL', count: 3, terminal: true });
    expect(await here.containers(id)).toEqual([]);

    await here.engine.getVolume(`ws-${id}-home`).remove();
    await retried(woken);
    expect(await describeTree(here.home(id))).toEqual(tree);
  });

  it.concurrent('whose volume was removed waits for its user, who gets the last archive, or else an empty home', async () => {
    await using here = await WorkspaceCluster.open();
    const workspace = await WorkspaceCalls.make(await here.cluster.start(), here.name());
    const { id } = workspace;
    const removed = async () => {
      await workspace.want('STANDBY');
      await workspace.settles({ observed_status: 'STANDBY' });
      await here.engine.getVolume(`ws-${id}-home`).remove();
      await workspace.fails({ code: 'VOLUME_NOT_FOUND', count: 1, terminal: true });
      expect(await here.hasVolume(id)).toBe(false);
      expect((await workspace.retry()).status).toBe(202);
      await workspace.settles({ observed_status: 'STANDBY', error: null });
    };
    const has = async (path: string) =>
      (await workspace.visit(`/api/file?path=${encodeURIComponent(path)}`)).status === 200;

    await workspace.settles({ observed_status: 'RUNNING' });
    await workspace.write('never-archived.txt', 'lost');
    await removed();
    expect(await has('never-archived.txt')).toBe(false);

    await workspace.write('archived.txt', 'kept');
    await workspace.want('PENDING');
    await workspace.settles({ observed_status: 'PENDING', archived: true });
    await workspace.write('later.txt', 'lost');
    await removed();
    expect(await workspace.read('archived.txt')).toBe('kept');
    expect(await has('later.txt')).toBe(false);
  });

  it.concurrent("whose container's name is another installation's leaves that alone, and waits for its user", async () => {
    await using here = await WorkspaceCluster.open();
    const runtime = await here.cluster.start();
    const id = here.name();
    const theirs = await here.engine.createContainer({
      name: `ws-${id}`,
      Image: workspaceImage(),
      Labels: { [LABEL.installation]: OTHERS, [LABEL.role]: 'workspace', [LABEL.workspaceId]: id },
      HostConfig: { NetworkMode: 'none' },
    });
    await using _theirs = {
      [Symbol.asyncDispose]: () => theirs.remove({ force: true }).catch(() => {}), // where it is removed before
    };
    const workspace = await WorkspaceCalls.make(runtime, id);
    const taken = expect.stringContaining(OTHERS);
    await workspace.fails({ code: 'CONTAINER_CREATE_FAILED', count: 1, terminal: true, message: taken });
    expect((await theirs.inspect()).Config.Labels).toMatchObject({ [LABEL.installation]: OTHERS });

    await theirs.remove();
    await retried(workspace);
    expect(await here.containers(id)).toHaveLength(1);
  });

  it.concurrent("whose volume's name is another installation's leaves that alone, and is tried again", async () => {
    await using here = await WorkspaceCluster.open();
    const runtime = await here.cluster.start();
    const id = here.name();
    await plantVolume(here, id, OTHERS);
    await using _theirs = {
      [Symbol.asyncDispose]: () => here.engine.getVolume(`ws-${id}-home`).remove({ force: true }),
    };
    const workspace = await WorkspaceCalls.make(runtime, id);
    const taken = expect.stringContaining(OTHERS);
    for (const count of [1, 2]) {
      await workspace.fails({ code: 'VOLUME_CREATE_FAILED', count, terminal: false, message: taken });
      await here.isDue(id);
    }
    await workspace.fails({ code: 'VOLUME_CREATE_FAILED', count: 3, terminal: true, message: taken });

    // Deleting what we have of it touches nothing of theirs.
    expect((await workspace.delete()).status).toBe(202);
    await workspace.gone();
    expect(await here.hasVolume(id)).toBe(true);
  });

  it.concurrent('is not made with the name of a conversation’s container', async () => {
    await using here = await WorkspaceCluster.open();
    const runtime = await here.cluster.start();
    const refused = await runtime.post('/v1/workspaces', { id: '0123456789ab' });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'INVALID_ID' });
    expect(await here.sql('SELECT id FROM workspaces')).toEqual([]);
    const near = await runtime.post('/v1/workspaces', { id: '0123456789abc', desired_state: 'PENDING' });
    expect(near.status).toBe(201);
  });
});

async function retried(workspace: WorkspaceCalls): Promise<void> {
  expect((await workspace.retry()).status).toBe(202);
  await workspace.settles({ observed_status: 'RUNNING', error: null });
  expect((await workspace.visit('/healthz')).status).toBe(200);
}

async function plantVolume(
  here: WorkspaceCluster,
  id: string,
  installation: string,
  options?: Record<string, string>,
): Promise<void> {
  const name = homeVolume(must(parseWorkspaceId(id)));
  await here.engine.createVolume({
    Name: name,
    Driver: 'local',
    Labels: volumeLabels(name, { installation, version: '1.2.3' }, new Date()),
    ...(options === undefined ? {} : { DriverOpts: options }),
  });
}

function portOf(server: Server): number {
  return (server.address() as { port: number }).port; // of a TCP server it is never a text
}
