import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectEngine, imageId } from '../../images/builder/engine.ts';
import { imageTag, SCRIPT } from '../../infra/docker/docker-image-removal.ts';
import { DockerPlatform } from '../../infra/docker/docker-platform.ts';
import { describeWith, docker } from '../support/services/provided.ts';
import { tinyImage } from '../support/tiny-image.ts';
import { outcome, recordResources } from './registered.ts';

const registered = recordResources();
beforeEach(() => registered.resources.splice(0));

describe('what removes the images of a platform on Docker', () => {
  it.each([
    [true, 'remove'],
    [false, 'keep'],
  ])('is there in any case, and does it only with all data: %s', async (destroyData, word) => {
    await outcome(new DockerPlatform('agents', { destroyData }).url);
    const { inputs } = registered.named('command:local:Command', 'agents-images');
    expect(Object.keys(inputs).sort()).toEqual(['delete', 'interpreter']);
    expect(inputs.delete).toBe(word);
    expect(inputs.interpreter.slice(0, 4)).toEqual(['/bin/sh', '-c', SCRIPT, 'berth']);
    expect(inputs.interpreter.slice(5)).toEqual(['*:*.agents', 'redis:7.4-bookworm postgres:17-bookworm']);
  });

  it('goes after every image, and so after whatever is made of one', async () => {
    await outcome(new DockerPlatform('agents', { egressMode: 'service' }).url);
    const images = ['docker-build:index:Image', 'docker:index/remoteImage:RemoteImage'].flatMap(
      registered.of,
    );
    expect(images).toHaveLength(8);
    for (const { after } of images) expect(after.join()).toContain('command:local:Command::agents-images');
    const tags = images.flatMap(({ inputs }): string[] => inputs.tags ?? []);
    expect(tags).toHaveLength(6);
    for (const tag of tags) expect(tag).toMatch(/^[a-z-]+:\d+\.\d+\.\d+-[0-9a-f]{12}\.agents$/);
  });
});

describeWith(['docker', 'workspace-base-image'], "the script that removes a platform's images", () => {
  const platform = `agents-${randomBytes(4).toString('hex')}`;
  const tag = (name: string, of = platform) => imageTag(of, `${name}:1.2.3-0123456789ab`);
  const engine = () => connectEngine(docker().host);
  const made: string[] = [];
  afterEach(async () => {
    for (const name of made.splice(0))
      if ((await imageId(engine(), name)) !== undefined) await engine().getImage(name).remove();
  });

  async function image(script: string, ...tags: string[]): Promise<void> {
    const built = engine().getImage(await tinyImage(script));
    for (const name of tags) {
      const [repo = '', of = ''] = name.split(':');
      await built.tag({ repo, tag: of });
    }
    made.push(...tags);
  }
  const run = (pulled: string, word: string) =>
    promisify(execFile)('/bin/sh', [
      ...['-c', SCRIPT, 'berth', docker().host, imageTag(platform, '*:*'), pulled, word],
    ]);
  const there = async (...names: string[]) => {
    const ids = await Promise.all(names.map((name) => imageId(engine(), name)));
    return ids.map((id) => id !== undefined);
  };

  it('takes those of the platform and what it pulled, and none of another', async () => {
    const [runtime, editor, pulled] = [
      tag('runtime'),
      tag('workspace-editor'),
      `berth-test-pulled:${platform}`,
    ];
    const others = [tag('runtime', `my-${platform}`), tag('runtime', `${platform}-2`)];
    await image('1', runtime, editor, pulled, ...others);
    await run(pulled, 'keep');
    expect(await there(runtime, editor, pulled)).toEqual([true, true, true]);
    await run(`${pulled} berth-test-pulled:nowhere`, 'remove');
    expect(await there(runtime, editor, pulled, ...others)).toEqual([false, false, false, true, true]);
    await run(pulled, 'remove');
  });

  it('leaves what something else is made of, says so, and does not fail', async () => {
    const [used, unused] = [tag('runtime'), tag('workspace-base')];
    await image(`'${platform}'`, used);
    await engine()
      .getImage(await tinyImage(`'${platform}'`))
      .remove(); // its other tag
    await image('2', unused);
    const container = await engine().createContainer({ Image: used });
    try {
      const { stdout } = await run('', 'remove');
      expect(stdout).toContain(`${used} stays: something else is made of it.`);
      expect(await there(used, unused)).toEqual([true, false]);
    } finally {
      await container.remove();
    }
  });

  it('fails where the engine can not be asked, so that the next time tries again', async () => {
    const words = [
      '-c',
      SCRIPT,
      'berth',
      'unix:///nowhere/docker.sock',
      imageTag(platform, '*:*'),
      '',
      'remove',
    ];
    await expect(promisify(execFile)('/bin/sh', words)).rejects.toMatchObject({ code: 1 });
  });
});
