import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { cacheFolder } from '../../images/builder/cache-folder.ts';
import { connectEngine } from '../../images/builder/engine.ts';
import { type FileLock, lock } from '../../images/builder/file-lock.ts';
import { SECRET_VARIABLES } from '../../runtime/contracts/secret-variables.ts';
import { must } from '../support/must.ts';
import { describeWithPulumi } from '../support/pulumi/describe-with-pulumi.ts';
import { TestStack } from '../support/pulumi/run.ts';
import { docker } from '../support/services/provided.ts';
import { clearEngine, onEngine } from './left-on-engine.ts';
import { PlatformClient } from './platform-client.ts';

// The tests are one story, in the order they stand in.

describeWithPulumi('the stack dev', (engine) => {
  const project = `pulumi-${randomBytes(4).toString('hex')}`;
  let port: FileLock;
  let stack: TestStack;
  beforeAll(async () => {
    // The platform's port is one for all.
    port = await lock(join(cacheFolder('pulumi'), 'dev-port.lock'));
    stack = await TestStack.create({
      engine,
      project,
      stack: 'dev',
      env: { DOCKER_HOST: docker().host },
    });
    await stack.config('berth:warmPoolMin', '1');
    await stack.config('berth:warmPoolMax', '1');
  });
  afterAll(async () => {
    await clearEngine(docker().host, project);
    stack[Symbol.dispose]();
    port.release();
  });

  const there = () => onEngine(docker().host, project);
  const client = async () => new PlatformClient(await stack.outputs());
  const named = (name: string) => expect.stringMatching(new RegExp(`^${project}-${name}-[0-9a-f]{7}$`));
  /** Runs it with what Pulumi said at hand, should the test fail. */
  const told = () => onTestFailed(() => console.error(stack.lastWords));

  it('fails half way with what went wrong, and a second up completes what the first began', async () => {
    told();
    stack.failOnce(`container:Container::${project}-runtime`);
    await expect(stack.up()).rejects.toThrow('told to fail');
    const begun = await there();
    expect(begun.containers).toContainEqual(named('redis'));
    expect(begun.containers).not.toContainEqual(named('runtime'));
    await stack.up();
    const whole = await there();
    expect(whole.containers).toEqual(expect.arrayContaining([...begun.containers, named('runtime')]));
    expect(whole.networks).toEqual(begun.networks);
    expect(whole.volumes).toEqual(begun.volumes);
  });

  it('is well at the URL that it prints', async () => {
    expect(await stack.outputs()).toMatchObject({ url: 'http://127.0.0.1:7420', backend: 'docker' });
    expect(await (await client()).health()).toBe(200);
  });

  it('executes a conversation for the key that it prints, and for no other', async () => {
    expect(await (await client()).execute('first', 'echo kept > note; id -u')).toMatchObject({
      printed: expect.stringMatching(/^\d+\n$/),
    });
    const stranger = new PlatformClient({ ...(await stack.outputs()), apiKey: 'berth_another' });
    await expect(stranger.execute('first', 'true')).rejects.toThrow('401');
  });

  it('shows no change where there is none', async () => {
    told();
    expect(await stack.preview()).toEqual([]);
  });

  it('shows a changed value and nothing else, and changes it under a conversation that goes on', async () => {
    told();
    await stack.config('berth:warmPoolMax', '2');
    const steps = await stack.preview();
    expect(new Set(steps.map(({ name }) => name))).toEqual(new Set([`${project}-runtime`]));
    const changed = [...(await stack.previewDiff()).matchAll(/^ +[-+~] (\w+) *: /gm)].map(([, key]) => key);
    expect(new Set(['name', 'envs', ...changed])).toEqual(new Set(['name', 'envs']));
    await stack.up();
    expect(await (await client()).execute('first', 'cat note')).toEqual({
      printed: 'kept\n',
      source: 'existing',
    });
  });

  it('keeps no secret in the clear in its state', async () => {
    const state = await stack.state();
    const secrets = await secretsOf(docker().host, project);
    expect(Object.keys(secrets).sort()).toEqual([
      ...['BERTH_API_KEYS', 'BERTH_SECRET', 'DATABASE_URL'],
      ...['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'REDIS_URL'],
    ]);
    const { apiKey } = await stack.outputs();
    for (const [name, value] of Object.entries({ ...secrets, apiKey: must(apiKey) }))
      expect(state.includes(JSON.stringify(value).slice(1, -1)), name).toBe(false);
  });

  it('is destroyed with three conversations that live, and leaves its data and no network', async () => {
    told();
    const before = await there();
    const platform = await client();
    await Promise.all(['first', 'second', 'third'].map((name) => platform.execute(name, 'true')));
    await stack.destroy();
    const after = await there();
    expect(after.containers.filter((name) => name.startsWith(project))).toEqual([]);
    expect(after.networks).toEqual([]);
    expect(after.volumes).toEqual([named('data'), named('postgres'), named('redis')]);
    expect(before.volumes).toEqual(expect.arrayContaining(after.volumes));
  });

  it('works with its egress proxy apart, and leaves nothing where data is to be destroyed, too', async () => {
    told();
    // Nothing of the story so far is in the way.
    expect(JSON.parse(await stack.state()).deployment.resources ?? []).toEqual([]);
    await clearEngine(docker().host, project);
    await stack.config('berth:egressMode', 'service');
    await stack.config('berth:destroyData', 'true');
    await stack.config('berth:warmPoolMin', '0');
    await stack.config('berth:warmPoolMax', '0');
    await stack.up();
    expect((await there()).volumes).toHaveLength(4);
    const platform = await client();
    const reached = await platform.execute('apart', 'curl -sS http://nowhere.example');
    expect(reached.printed).toContain('Domain not in whitelist');
    await platform.end('apart');
    await stack.destroy();
    expect(await there()).toEqual({ containers: [], networks: [], volumes: [] });
  });
});

/** By variable: every secret that the platform's own containers have. */
async function secretsOf(host: string, platform: string): Promise<Record<string, string>> {
  const engine = connectEngine(host);
  const found = await engine.listContainers({ filters: { label: [`berth.platform=${platform}`] } });
  const environments = await Promise.all(
    found.map(async ({ Id }) => (await engine.getContainer(Id).inspect()).Config.Env),
  );
  const variables = environments.flat().map((line): [string, string] => {
    const [name = '', ...value] = line.split('=');
    return [name, value.join('=')];
  });
  const names: readonly string[] = [...SECRET_VARIABLES, 'REDIS_PASSWORD', 'POSTGRES_PASSWORD'];
  return Object.fromEntries(variables.filter(([name]) => names.includes(name)));
}
