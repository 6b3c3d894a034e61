import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { connectEngine, imageId } from '../../images/builder/engine.ts';
import { PULLED_IMAGES } from '../../infra/docker/docker-stores.ts';
import { SECRET_VARIABLES } from '../../runtime/contracts/secret-variables.ts';
import { must } from '../support/must.ts';
import { describeWithPulumi } from '../support/pulumi/describe-with-pulumi.ts';
import { TestStack } from '../support/pulumi/run.ts';
import { freePort } from '../support/services/free-port.ts';
import { docker } from '../support/services/provided.ts';
import { clearEngine, lendImages, onEngine } from './left-on-engine.ts';
import { PlatformClient } from './platform-client.ts';
import { withVolumes } from './volume-command.ts';
import { WorkspaceClient } from './workspace-client.ts';

// The tests are one story, in the order they stand in.

const CONVERSATIONS = ['first', 'second', 'third'];
const words = (name: string) => `the last words of ${name}`;
/** As the guide has it. */
const TAKE_UP =
  "tar -C /old/objects/kept --exclude 'egress.sealed!' -c . | tar -C /new/objects/kept -x --skip-old-files";

describeWithPulumi('the stack dev', (engine) => {
  const project = `pulumi-${randomBytes(4).toString('hex')}`;
  const platformName = `${project}-dev`;
  let port: number;
  let stack: TestStack;
  let bringBack: () => Promise<void>;
  beforeAll(async () => {
    bringBack = await lendImages(docker().host, PULLED_IMAGES);
    stack = await TestStack.create({
      engine,
      project,
      stack: 'dev',
      env: { DOCKER_HOST: docker().host },
    });
    port = await freePort();
    await stack.config('berth:port', String(port));
    await stack.config('berth:warmPoolMin', '1');
    await stack.config('berth:warmPoolMax', '1');
  });
  afterAll(async () => {
    await clearEngine(docker().host, platformName);
    await bringBack();
    stack[Symbol.dispose]();
  });

  const inData = (volume: string, ...command: string[]) =>
    withVolumes(docker().host, { '/volume': volume }, command);
  const there = () => onEngine(docker().host, platformName);
  const conversations = async () =>
    (await there()).containers.filter((name) => !name.startsWith(`${platformName}-`));
  /** Names of workspaces are names on the engine, which other tests use, too. */
  const workspaceId = (name: string) => `${name}-${project.slice(-8)}`;
  const home = (name: string) => `ws-${workspaceId(name)}-home`;
  const workspace = async (name: string) => new WorkspaceClient(await stack.outputs(), workspaceId(name));
  const client = async () => new PlatformClient(await stack.outputs());
  const named = (name: string) => expect.stringMatching(new RegExp(`^${platformName}-${name}-[0-9a-f]{7}$`));
  /** Runs it with what Pulumi said at hand, should the test fail. */
  const told = () => onTestFailed(() => console.error(stack.lastWords));

  it('fails half way with what went wrong, and a second up completes what the first began', async () => {
    told();
    stack.failOnce(`container:Container::${platformName}-runtime`);
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
    expect(await stack.outputs()).toMatchObject({ url: `http://127.0.0.1:${port}`, backend: 'docker' });
    expect(await (await client()).health()).toBe(200);
  });

  it('executes a conversation for the key that it prints, and for no other', async () => {
    expect(await (await client()).execute('first', 'echo kept > note; id -u')).toMatchObject({
      printed: expect.stringMatching(/^\d+\n$/),
    });
    const stranger = new PlatformClient({ ...(await stack.outputs()), apiKey: 'berth_another' });
    await expect(stranger.execute('first', 'true')).rejects.toThrow('401');
  });

  it('opens a workspace in a browser, on a host of its own at the port that is published', async () => {
    const notes = await workspace('notes');
    const url = await notes.make();
    expect(url).toBe(`http://${notes.id}.workspaces.localhost:${port}/`);
    await notes.becomes('RUNNING');
    const link = await notes.link();
    expect(link).toMatch(new RegExp(`^${url}\\.berth/session\\?token=`));
    const opened = await notes.visit(link);
    expect(opened.status).toBe(303);
    const cookie = must(opened.headers['set-cookie']?.[0]?.split(';')[0]);
    const page = await notes.visit(new URL(must(opened.headers.location), url).href, { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(page.body).toContain('<title>Workspace</title>');
    expect((await notes.visit(url)).status).toBe(401);
  });

  it('puts a workspace to standby, and wakes it with its home', async () => {
    const notes = await workspace('notes');
    const url = `http://${notes.id}.workspaces.localhost:${port}/`;
    await notes.write(url, 'note', 'kept');
    await notes.want('STANDBY');
    await notes.becomes('STANDBY');
    const ofWorkspace = (names: string[]) => names.filter((name) => name.includes(notes.id));
    expect(ofWorkspace((await there()).containers)).toEqual([]);
    expect(ofWorkspace((await there()).volumes)).toEqual([home('notes')]);
    expect(await notes.read(url, 'note')).toBe('kept');
    await notes.becomes('RUNNING');
  });

  it('shows no change where there is none', async () => {
    told();
    expect(await stack.preview()).toEqual([]);
  });

  it('shows a changed value and nothing else, and changes it under a conversation that goes on', async () => {
    told();
    await stack.config('berth:warmPoolMax', '2');
    const steps = await stack.preview();
    const parts = new Set(['runtime', 'sweeper'].map((part) => `${platformName}-${part}`));
    expect(new Set(steps.map(({ name }) => name))).toEqual(parts);
    // Another in its place would end every conversation.
    expect(steps.filter(({ name }) => name.endsWith('-sweeper'))).toMatchObject([{ op: 'update' }]);
    const changed = [...(await stack.previewDiff()).matchAll(/^ +[-+~] (\S+) *: (".*)$/gm)];
    expect(changed.map(([, key, change]) => [key, change])).toEqual([
      ['WARM_POOL_MAX_SIZE', '"1" => "2"'],
      [expect.any(String), '"WARM_POOL_MAX_SIZE=1" => "WARM_POOL_MAX_SIZE=2"'],
      ['name', expect.any(String)], // of the container in its place
    ]);
    await stack.up();
    expect(await (await client()).execute('first', 'cat note')).toEqual({
      printed: 'kept\n',
      source: 'existing',
    });
  });

  it('keeps no secret in the clear in its state', async () => {
    const state = await stack.state();
    const secrets = await secretsOf(docker().host, platformName);
    expect(Object.keys(secrets).sort()).toEqual([
      ...['BERTH_API_KEYS', 'BERTH_SECRET', 'DATABASE_URL'],
      ...['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'REDIS_URL'],
    ]);
    const { apiKey } = await stack.outputs();
    for (const [name, value] of Object.entries({ ...secrets, apiKey: must(apiKey) }))
      expect(state.includes(JSON.stringify(value).slice(1, -1)), name).toBe(false);
  });

  it('is destroyed with a workspace and three conversations that live: only once all are saved, and its data stays', async () => {
    told();
    const before = await there();
    const data = must(before.volumes.find((name) => name.startsWith(`${platformName}-data`)));
    const saved = (name: string) => `/volume/objects/kept/workspaces,/default,/${name},`;
    const platform = await client();
    await Promise.all(CONVERSATIONS.map((name) => platform.execute(name, 'true')));
    await inData(data, 'chmod', '-R', 'a-w', saved('first'));
    await Promise.all(CONVERSATIONS.map((name) => platform.write(name, 'last', words(name))));
    await expect(stack.destroy()).rejects.toThrow(/1 could not be ended[\s\S]*Run pulumi destroy again/);
    const { containers, networks } = await there();
    expect(await conversations()).toHaveLength(1);
    expect(containers).toEqual(expect.arrayContaining([named('redis'), named('postgres')]));
    expect(networks).toEqual(before.networks);

    await inData(data, 'chmod', '-R', 'u+w', saved('first'));
    await stack.destroy();
    const kept = before.volumes.filter((name) => name.startsWith(platformName) || name === home('notes'));
    expect(kept).toHaveLength(4);
    const { images } = before;
    expect(images).toHaveLength(5);
    expect(await there()).toEqual({ containers: [], networks: [], volumes: kept, images });
    expect(await inData(home('notes'), 'cat', '/volume/note')).toBe('kept');
    for (const name of CONVERSATIONS) {
      const files = await inData(data, 'grep', '-rl', words(name), `${saved(name)}/blobs,`);
      expect(files).toMatch(/^\S+\n$/);
    }
  });

  it('can take up the files that another left, and works with its egress proxy apart', async () => {
    told();
    // Nothing of the story so far is in the way.
    expect(JSON.parse(await stack.state()).deployment.resources ?? []).toEqual([]);
    const { volumes: kept } = await there();
    await stack.config('berth:egressMode', 'service');
    await stack.config('berth:destroyData', 'true');
    await stack.config('berth:warmPoolMin', '0');
    await stack.config('berth:warmPoolMax', '0');
    await stack.up();
    const volumes = (await there()).volumes.filter((name) => !kept.includes(name));
    expect(volumes).toHaveLength(4);
    const data = (name: string) => name.startsWith(`${platformName}-data`);
    const both = { '/old': must(kept.find(data)), '/new': must(volumes.find(data)) };
    await withVolumes(docker().host, both, ['sh', '-c', TAKE_UP]);
    const platform = await client();
    expect((await platform.execute('first', 'cat last')).printed).toBe(words('first'));
    const notes = await workspace('notes');
    const url = await notes.make();
    expect(await notes.read(url, 'note')).toBe('kept'); // a workspace of the same name has its home again
    const reached = await platform.execute('first', 'curl -sS http://nowhere.example');
    expect(reached.printed).toContain('Domain not in whitelist');
  });

  it('leaves nothing of its own where data is to be destroyed, too', async () => {
    told();
    await (await workspace('notes')).becomes('RUNNING');
    const asleep = await workspace('asleep');
    await asleep.make('STANDBY');
    await asleep.becomes('STANDBY');
    const engine = connectEngine(docker().host);
    // An upgrade builds images beside those of before.
    const [built] = (await there()).images.filter((tag) => tag.startsWith('runtime:'));
    await engine.getImage(must(built)).tag({ repo: 'runtime', tag: `0.0.1-0123456789ab.${platformName}` });
    const before = await there();
    expect(before.images.map((tag) => tag.split(':')[0])).toEqual([
      ...[
        'function-node',
        'function-python',
        'proxy-sidecar',
        'runtime',
        'runtime',
        'workspace-base',
        'workspace-editor',
      ],
    ]);
    expect(before.volumes).toEqual(expect.arrayContaining(['asleep', 'notes'].map(home)));
    await stack.destroy();
    const { volumes, ...rest } = await there();
    expect(rest).toEqual({ containers: [], networks: [], images: [] });
    // Stores of the earlier one of this name; homes are those of all of them.
    expect(volumes.map((name) => name.slice(0, -8))).toEqual(
      ['data', 'postgres', 'redis'].map((part) => `${platformName}-${part}`),
    );
    for (const pulled of PULLED_IMAGES) expect(await imageId(engine, pulled)).toBeUndefined();
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
