import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from 'dockerode';
import { expect, it, onTestFinished, vi } from 'vitest';
import { connectEngine, followProgress } from '../../../images/builder/engine.ts';
import {
  describeWith,
  docker,
  functionNodeImage,
  functionPythonImage,
} from '../../support/services/provided.ts';

const MiB = 1024 * 1024;

const NODE_HANDLER = `
import { userInfo } from 'node:os';
import { writeFileSync } from 'node:fs';
const attempt = (path) => { try { writeFileSync(path, ''); return 'written'; } catch (error) { return error.code; } };
export default ({ name }) => ({
  hello: name,
  uid: process.getuid(),
  user: userInfo().username,
  tmp: attempt('/tmp/x'),
  app: attempt('/app/x'),
});`;

const PYTHON_HANDLER = `
import errno, os, pwd
def attempt(path):
    try:
        open(path, "w").close()
        return "written"
    except OSError as error:
        return errno.errorcode[error.errno]
def handler(request):
    return {
        "hello": request["name"],
        "uid": os.getuid(),
        "user": pwd.getpwuid(os.getuid()).pw_name,
        "tmp": attempt("/tmp/x"),
        "app": attempt("/app/x"),
    }`;

describeWith(['docker', 'function-node-image', 'function-python-image'], 'the images of functions', () => {
  const engine = connectEngine(docker().host);

  it.each([
    ['Node', functionNodeImage, 'handler.mjs', NODE_HANDLER],
    ['Python', functionPythonImage, 'handler.py', PYTHON_HANDLER],
  ])('make a function of a handler in %s with two lines', async (_, image, file, source) => {
    const built = await build(image(), file, source);
    const { container, url } = await run(built);
    const answer = await fetch(url, { method: 'POST', body: '{"name":"image"}' });
    expect(await answer.json()).toEqual({
      hello: 'image',
      uid: 1000,
      user: 'function',
      tmp: 'written',
      app: 'EROFS',
    });
    await container.stop({ t: 20 });
    expect((await container.inspect()).State.ExitCode).toBe(0);
  });

  async function build(from: string, file: string, source: string): Promise<string> {
    const tag = `berth-test-function-${process.pid}:${file.replace('handler.', '')}`;
    const context = mkdtempSync(join(tmpdir(), 'berth-function-'));
    onTestFinished(() => rmSync(context, { recursive: true }));
    writeFileSync(join(context, 'Dockerfile'), `FROM ${from}\nCOPY ${file} /app/\n`);
    writeFileSync(join(context, file), source);
    await followProgress(await engine.buildImage({ context, src: ['Dockerfile', file] }, { t: tag }));
    onTestFinished(() => engine.getImage(tag).remove({ force: true }));
    return tag;
  }

  /** As workers run, apart from the port on this machine. */
  async function run(image: string): Promise<{ container: Container; url: string }> {
    const container = await engine.createContainer({
      Image: image,
      HostConfig: {
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        ReadonlyRootfs: true,
        Tmpfs: { '/tmp': '' },
        PidsLimit: 128,
        Memory: 512 * MiB,
        PortBindings: { '8080/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }] },
      },
    });
    onTestFinished(() => container.remove({ force: true }));
    await container.start();
    const port = (await container.inspect()).NetworkSettings.Ports['8080/tcp']?.[0]?.HostPort;
    const url = `http://127.0.0.1:${port}/`;
    await vi.waitFor(() => fetch(url), { timeout: 20_000 });
    return { container, url };
  }
});
