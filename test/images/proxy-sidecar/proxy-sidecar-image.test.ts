import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Container } from 'dockerode';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBaseImage } from '../../../images/builder/base-image.ts';
import { buildImage } from '../../../images/builder/build-image.ts';
import { connectEngine } from '../../../images/builder/engine.ts';
import { findRecipe } from '../../../images/builder/recipes.ts';
import { describeWith, docker } from '../../support/services/provided.ts';

describeWith('docker', 'the proxy in its own image', () => {
  const engine = connectEngine(docker().host);
  const containers: Container[] = [];
  let image: string;

  /** As beside a sandbox: nothing writable, no rights; and here no network. */
  const start = async (env: string[], command?: string[]): Promise<Container> => {
    const container = await engine.createContainer({
      Image: image,
      Env: env,
      ...(command && { Cmd: command }),
      Healthcheck: { Interval: 300_000_000 },
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Memory: 256 * 1024 * 1024,
      },
    });
    containers.push(container);
    await container.start();
    return container;
  };

  const health = async (container: Container): Promise<string> => {
    const { State } = await container.inspect();
    if (!State.Running) throw new Error(`It ended: ${await container.logs({ stdout: true, stderr: true })}`);
    return State.Health?.Status ?? 'none';
  };

  const run = async (container: Container, ...command: string[]): Promise<string> => {
    const exec = await container.exec({ Cmd: command, AttachStdout: true, AttachStderr: true });
    const stream = await exec.start({});
    const output = new PassThrough();
    container.modem.demuxStream(stream, output, output);
    stream.on('end', () => output.end());
    return text(output);
  };

  beforeAll(async () => {
    const base = await findBaseImage(engine, () => {});
    ({ sourceTag: image } = await buildImage(engine, findRecipe('proxy-sidecar'), base, () => {}));
  }, 300_000);

  afterAll(async () => {
    for (const container of containers) await container.remove({ force: true });
  });

  it('becomes healthy, as a user that is neither root nor a sandbox', async () => {
    const sidecar = await start(['PROXY_ADMIN_KEY=key-of-this-test', 'CONTAINER_ID=ws-1']);
    await expect.poll(() => health(sidecar), { timeout: 20_000 }).toBe('healthy');
    expect(await run(sidecar, 'id', '-u')).toBe('10002\n');
    expect(await run(sidecar, 'ls', '/opt/berth')).toBe(
      'health-check.mjs\nproxy-service.mjs\nproxy-sidecar.mjs\n',
    );
  });

  it('refuses what it was not told to let out, and calls that are not sealed', async () => {
    const sidecar = await start(['PROXY_ADMIN_KEY=key-of-this-test', 'CONTAINER_ID=ws-1']);
    await expect.poll(() => health(sidecar), { timeout: 20_000 }).toBe('healthy');
    const script = `
      const http = require('node:http');
      const ask = (port, method, path) => new Promise((done) =>
        http.request({ host: '127.0.0.1', port, method, path }, (r) => done(r.resume().statusCode)).end());
      (async () => console.log(
        await ask(8080, 'GET', 'http://pypi.org/'), await ask(8080, 'POST', '/model/a.b/invoke'),
        await ask(8081, 'GET', '/health'), await ask(8081, 'PUT', '/admin/state')))();`;
    expect(await run(sidecar, 'node', '-e', script)).toBe('403 403 200 401\n');
    expect((await sidecar.inspect()).State.Running).toBe(true);
  });

  it('runs the shared service as well', async () => {
    const service = await start(
      ['PROXY_ADMIN_KEY=key-of-this-test', 'ADMIN_PORT=9081'],
      ['node', '/opt/berth/proxy-service.mjs'],
    );
    await expect.poll(() => health(service), { timeout: 20_000 }).toBe('healthy');
  });

  it('stops when asked, at once', async () => {
    const sidecar = await start(['PROXY_ADMIN_KEY=key-of-this-test']);
    await expect.poll(() => health(sidecar), { timeout: 20_000 }).toBe('healthy');
    await sidecar.stop({ t: 5 });
    expect((await sidecar.inspect()).State.ExitCode).toBe(0);
  });

  it('says what its environment lacks', async () => {
    const sidecar = await start([]);
    const { StatusCode } = await sidecar.wait();
    expect(StatusCode).toBe(2);
    expect(`${await sidecar.logs({ stderr: true })}`).toContain('PROXY_ADMIN_KEY is required');
  });
});
