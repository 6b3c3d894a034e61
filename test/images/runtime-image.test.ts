import { createHash, randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Container } from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectEngine } from '../../images/builder/engine.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { removeContainers } from '../support/remove-containers.ts';
import { describeWith, docker, runtimeImage, workspaceImage } from '../support/services/provided.ts';

describeWith(['docker', 'runtime-image', 'workspace-base-image'], 'the runtime in its own image', () => {
  const socket = docker().host.replace(/^unix:\/\//, '');
  const engine = connectEngine(docker().host);
  // Not the system's temporary folder, whose path may be too long for a socket's.
  const sockets = mkdtempSync(join('/tmp', 'berth-'));
  const user = process.getuid?.() === 0 ? '10000:10000' : `${process.getuid?.()}:${process.getgid?.()}`;
  const installation = `image-${randomBytes(4).toString('hex')}`;
  let container: Container;

  beforeAll(async () => {
    // The runtime takes a folder only if it is its own user's.
    if (process.getuid?.() === 0) chownSync(sockets, 10_000, 10_000);
    const sha256 = createHash('sha256').update('key-of-this-test').digest('hex');
    container = await engine.createContainer({
      Image: runtimeImage(),
      User: user,
      Env: [
        'HOST=0.0.0.0',
        `BERTH_API_KEYS=${JSON.stringify([{ name: 'test', tenant: 'test', scope: 'admin', sha256 }])}`,
        `WORKSPACE_IMAGE=${workspaceImage()}`,
        `WORKSPACE_SOCKET_BASE_PATH=${sockets}`,
        `BERTH_INSTALLATION=${installation}`,
      ],
      Healthcheck: { Interval: 500_000_000 },
      HostConfig: {
        Binds: [`${socket}:/var/run/docker.sock`, `${sockets}:${sockets}`],
        GroupAdd: [`${statSync(socket).gid}`],
        PortBindings: { '7420/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] },
      },
    });
    await container.start();
  });

  afterAll(async () => {
    await container.remove({ force: true });
    await removeContainers(docker().host, installation);
    rmSync(sockets, { recursive: true, force: true });
  });

  const health = async (): Promise<string> => {
    const { State } = await container.inspect();
    if (!State.Running) throw new Error(`It ended: ${await container.logs({ stdout: true, stderr: true })}`);
    return State.Health?.Status ?? 'none';
  };

  it('becomes healthy, as another user than root', async () => {
    await expect.poll(health, { timeout: 20_000 }).toBe('healthy');
    expect((await engine.getImage(runtimeImage()).inspect()).Config.User).toBe('10000:10000');
  });

  const address = async (): Promise<string> => {
    const port = (await container.inspect()).NetworkSettings.Ports['7420/tcp']?.[0]?.HostPort;
    return `http://127.0.0.1:${port}`;
  };

  it.each(['/docs', '/docs/guides/egress', '/docs/client', '/docs/changelog', '/docs/api'])(
    'has the documentation with it: %s',
    async (path) => {
      const page = await fetch(`${await address()}${path}`);
      expect(page.status).toBe(200);
      expect(await page.text()).toMatch(/<h1[ >]/);
    },
  );

  it('runs a command in a workspace of the engine that it was given', async () => {
    const response = await fetch(`${await address()}/v1/conversations/first/exec`, {
      method: 'POST',
      headers: { authorization: 'Bearer key-of-this-test', 'content-type': 'application/json' },
      body: JSON.stringify({ cmd: ['sh', '-c', 'echo $(id -un) in $PWD'] }),
    });
    expect(await response.json()).toMatchObject({ exit_code: 0, stdout: 'agent in /workspace\n' });
  });

  it('serves the dashboard, with the terminal that it takes from packages', async () => {
    const port = (await container.inspect()).NetworkSettings.Ports['7420/tcp']?.[0]?.HostPort;
    const html = await (await fetch(`http://127.0.0.1:${port}/`)).text();
    const [folder = ''] = /\/dashboard\/[\w-]+\//.exec(html) ?? [];
    for (const name of ['main.js', 'styles/parts.css', 'vendor/xterm.mjs', 'vendor/addon-fit.mjs'])
      expect((await fetch(`http://127.0.0.1:${port}${folder}${name}`)).status, name).toBe(200);
  });

  it('stops when asked, and takes its containers with it', async () => {
    await container.stop({ t: 20 });
    expect((await container.inspect()).State.ExitCode).toBe(0);
    const filters = { label: [`${LABEL.installation}=${installation}`] };
    expect(await engine.listContainers({ all: true, filters })).toEqual([]);
  });
});
