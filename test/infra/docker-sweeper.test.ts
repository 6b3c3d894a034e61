import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runtime } from '@pulumi/pulumi';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DockerPlatform } from '../../infra/docker/docker-platform.ts';
import { SCRIPT } from '../../infra/docker/docker-sweeper.ts';
import type { PlatformArgs } from '../../infra/platform-args.ts';
import { outcome, recordResources } from './registered.ts';
import { SECRET_KEY } from './secret-marks.ts';

const CONTAINER = 'docker:index/container:Container';

const registered = recordResources();
beforeEach(() => registered.resources.splice(0));
afterEach(() => {
  vi.unstubAllEnvs();
  runtime.setAllConfig({});
});

async function sweeper(args: Omit<PlatformArgs, 'platform'> = {}) {
  await outcome(new DockerPlatform('agents', args).url);
  const { inputs } = registered.named('command:local:Command', 'agents-sweeper');
  const [shell, c, script, , engine, label, volumes, network, ...create]: string[] = inputs.interpreter;
  expect([shell, c, script]).toEqual(['/bin/sh', '-c', SCRIPT]);
  const image = create.findIndex((word) => word.startsWith('runtime:'));
  const options = create.slice(0, image).join(' ');
  return {
    inputs,
    engine,
    label,
    volumes,
    network,
    options,
    image: create[image],
    command: [...create.slice(image + 1), inputs.delete],
  };
}

/** What is wrapped as a secret. */
// biome-ignore lint/suspicious/noExplicitAny: an input of any shape
function hidden(input: any) {
  expect(input[SECRET_KEY]).toBeDefined();
  return input.value;
}

describe('the sweeper on Docker', () => {
  it('does nothing but when it goes, and another is made of it by nothing', async () => {
    const { inputs } = await sweeper();
    expect(Object.keys(inputs).sort()).toEqual(['delete', 'environment', 'interpreter']);
  });

  it("ends what has the installation's label, by the runtime's image, with its mounts, networks and bounds", async () => {
    const { label, network, options, image, command } = await sweeper();
    const { inputs } = registered.named(CONTAINER, 'agents-runtime');
    expect(label).toBe('berth.installation=agents');
    expect(image).toBe(inputs.image);
    expect(command).toEqual(['node', '/opt/berth/runtime.mjs', 'destroy-all', '--yes']);
    expect([/--network (\S+)/.exec(options)?.[1], network]).toEqual(
      inputs.networksAdvanced.map(({ name }: { name: string }) => name),
    );
    for (const { type, source, target } of inputs.mounts)
      expect(options).toContain(`--mount "type=${type}","source=${source}","target=${target}"`);
    expect(options).toContain(`--group-add ${inputs.groupAdds[0]} `);
    for (const bound of ['--read-only', '--cap-drop ALL', '--security-opt no-new-privileges'])
      expect(options).toContain(bound);
    expect(options).toContain(`--tmpfs /tmp:${inputs.tmpfs['/tmp']}`);
  });

  it("has the runtime's environment, passed on by names, so that no value is on a command line", async () => {
    const { inputs, options } = await sweeper({ egressMode: 'service' });
    const { envs } = registered.named(CONTAINER, 'agents-runtime').inputs;
    const environment = hidden(inputs.environment);
    const given = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    expect(given.sort()).toEqual(hidden(envs).sort());
    expect([...options.matchAll(/--env (\S+)/g)].map(([, name]) => name).sort()).toEqual(
      Object.keys(environment).sort(),
    );
    expect(environment.REDIS_URL).toContain('password-of');
    expect(JSON.stringify(inputs.interpreter)).not.toContain('password-of');
  });

  it('saves nothing where all data is to go, and then homes without a container are something to end, too', async () => {
    const { command, volumes } = await sweeper({ destroyData: true });
    expect(command.slice(2)).toEqual(['destroy-all', '--yes', '--purge']);
    expect(volumes).toBe('volumes');
    registered.resources.splice(0);
    expect((await sweeper()).volumes).toBe('');
  });

  it('goes to the engine that the stack names, else to the one of DOCKER_HOST', async () => {
    vi.stubEnv('DOCKER_HOST', 'unix:///a/docker.sock');
    expect((await sweeper()).engine).toBe('unix:///a/docker.sock');
    runtime.setAllConfig({ 'docker:host': 'unix:///b,"c/docker.sock' });
    registered.resources.splice(0);
    const { engine, options } = await sweeper();
    expect(engine).toBe('unix:///b,"c/docker.sock');
    expect(options).toContain(
      '--mount "type=bind","source=/b,""c/docker.sock","target=/var/run/docker.sock"',
    );
  });
});

describe("the sweeper's script", () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-sweeper-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('tells who has no docker command what to do', async () => {
    const args = ['-c', SCRIPT, 'berth', '', 'label', '', 'network', 'image', '--yes'];
    const run = promisify(execFile)('/bin/sh', args, { env: { PATH: folder } });
    await expect(run).rejects.toMatchObject({
      code: 127,
      stderr: expect.stringContaining('Install it and run pulumi destroy again.'),
    });
  });
});
