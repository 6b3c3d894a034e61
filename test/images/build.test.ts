import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BaseImage, findBaseImage } from '../../images/builder/base-image.ts';
import { type BuiltImage, buildImage } from '../../images/builder/build-image.ts';
import { connectEngine } from '../../images/builder/engine.ts';
import { findRecipe, type Recipe } from '../../images/builder/recipes.ts';
import { describeWith, docker } from '../support/services/provided.ts';

describeWith('docker', 'building an image', () => {
  const engine = connectEngine(docker().host);
  const sources = mkdtempSync(join(tmpdir(), 'berth-image-test-'));
  const entry = join(sources, 'main.ts');
  // The workspace image around a program of the test's own.
  const recipe: Recipe = {
    ...findRecipe('workspace-base'),
    name: `berth-test-${process.pid}`,
    program: { entry, name: 'agent.mjs', oneFile: true },
  };
  const built = new Set<string>();
  let base: BaseImage;
  let image: BuiltImage;

  const build = async (program: string): Promise<BuiltImage> => {
    writeFileSync(entry, program);
    const outcome = await buildImage(engine, recipe, base, () => {});
    built.add(outcome.sourceTag).add(outcome.versionTag);
    return outcome;
  };

  beforeAll(async () => {
    base = await findBaseImage(engine, () => {});
    image = await build(`const greeting: string = 'hello'; console.log(greeting, process.execArgv.join());`);
  }, 300_000);

  afterAll(async () => {
    rmSync(sources, { recursive: true });
    for (const tag of built) await engine.getImage(tag).remove({ force: true });
  });

  /** As conversations run: no network, nothing writable but what is given. */
  const run = async (command: readonly string[], user = '1000:1000'): Promise<string> => {
    const container = await engine.createContainer({
      Image: image.sourceTag,
      ...(command.length === 0 ? {} : { Cmd: [...command] }),
      User: user,
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Tmpfs: Object.fromEntries(
          ['/tmp', '/home/agent', '/workspace'].map((path) => [path, `uid=${user.split(':')[0]},exec`]),
        ),
      },
    });
    try {
      const stream = await container.attach({ stream: true, stdout: true, stderr: true });
      const output = new PassThrough();
      container.modem.demuxStream(stream, output, output);
      stream.on('end', () => output.end());
      await container.start();
      return await text(output);
    } finally {
      await container.remove({ force: true });
    }
  };

  it('runs the bundled program with --disable-sigusr1', async () => {
    expect(await run([])).toBe('hello --disable-sigusr1\n');
  });

  it('tags it by version and by sources, and labels it', async () => {
    const { Config } = await engine.getImage(image.versionTag).inspect();
    expect(image.sourceTag).toMatch(/:src-[0-9a-f]{12}$/);
    expect(Config.Labels).toEqual({
      'berth.image': recipe.name,
      'berth.version': image.versionTag.split(':')[1],
      'berth.source-hash': image.sourceTag.split(':src-')[1],
    });
  });

  it('builds once for the same sources, and again for changed ones', async () => {
    const program = `console.log('once');`;
    const first = await build(program);
    const second = await build(program);
    const changed = await build(`${program}console.log('twice');`);
    expect(first.outcome).toBe('built');
    expect(second).toEqual({ ...first, outcome: 'unchanged' });
    expect(changed.outcome).toBe('built');
    expect(changed.sourceTag).not.toBe(first.sourceTag);
  });

  it('moves the version tag back with the sources', async () => {
    const first = await build(`console.log('first');`);
    await build(`console.log('second');`);
    await build(`console.log('first');`);
    const [byVersion, bySource] = await Promise.all(
      [first.versionTag, first.sourceTag].map((tag) => engine.getImage(tag).inspect()),
    );
    expect(byVersion?.Id).toBe(bySource?.Id);
  });

  it('tells what in a program could not be bundled', async () => {
    await expect(build(`import './absent.ts';`)).rejects.toThrow(/Could not bundle .*'\.\/absent\.ts'/);
  });

  const tools = ['bash', 'python3', 'pip', 'node', 'npm', 'npx', 'git', 'curl', 'ps'];
  it.each(['1000:1000', '10001:10001', '4711:4711'])('has its tools and places for user %s', async (user) => {
    const script = [
      'set -e',
      ...tools.map((tool) => `${tool} --version >/dev/null || echo no ${tool}`),
      'python3 -m venv --without-pip /tmp/venv && /tmp/venv/bin/python -c "import ssl, sqlite3"',
      'pip download --no-index nothing 2>&1 | grep -q "No matching distribution"',
      'for place in "$HOME" /workspace /tmp; do touch "$place/file"; done',
      'for place in /berth/agent /berth/proxy; do test -d "$place"; done',
      'echo "$HOME $PWD $(id -u)"',
    ];
    const output = await run(['bash', '-c', script.join('\n')], user);
    expect(output).toBe(`/home/agent /workspace ${user.split(':')[0]}\n`);
  });

  it.each([
    ['1000:1000', 'agent'],
    ['10001:10001', 'agent-10001'],
  ])('calls user %s %s', async (user, name) => {
    expect(await run(['node', '-p', 'os.userInfo().username'], user)).toBe(`${name}\n`);
  });
});
