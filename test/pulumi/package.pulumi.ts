import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ARGUMENT_NAMES } from '../../infra/platform-rules.ts';
import { VERSION } from '../../infra/version.ts';
import { describeWithPulumiOnly } from '../support/pulumi/describe-with-pulumi.ts';
import { InstalledPackage } from '../support/pulumi/installed-package.ts';

const MIB = 1024 * 1024;
const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

const IN_TYPESCRIPT = `
import { type PlatformArgs, WorkspacePlatform } from '@berth/platform';
import { RESOURCE_RULES } from '@berth/platform/policy';

const args: PlatformArgs = { platform: 'docker', allowedDomains: ['pypi.org'] };
const agents = new WorkspacePlatform('agents', args);
export const { url, apiKey, version } = agents;
export const rules: string[] = RESOURCE_RULES.map(({ name }) => name);
// @ts-expect-error: there is no such platform
new WorkspacePlatform('others', { platform: 'mainframe' });
`;

const IN_JAVASCRIPT = `
import { WorkspacePlatform } from '@berth/platform';
export const { url, apiKey, version } = new WorkspacePlatform('agents', { platform: 'docker' });
`;

/** As an SDK of another language asks for it. */
const BY_TOKEN = `
import { ComponentResource } from '@pulumi/pulumi';
class Platform extends ComponentResource {
  constructor(name, args) {
    const outputs = { url: undefined, apiKey: undefined, backend: undefined, version: undefined };
    super('berth:index:WorkspacePlatform', name, { ...args, ...outputs }, {}, true);
  }
}
export const { backend, version } = new Platform('agents', ARGS);
`;

const OPEN = `
import { Container } from '@pulumi/docker';
new Container('open', {
  image: 'nginx:latest', privileged: true, ports: [{ internal: 80, external: 8080 }],
});
`;

interface Preview {
  steps: { op: string; urn: string; newState: { type: string; inputs: Record<string, unknown> } }[];
}

describeWithPulumiOnly('the package', (engine) => {
  let installed: InstalledPackage;
  beforeAll(async () => {
    installed = new InstalledPackage(engine);
    expect(await installed.install()).toMatchObject({ code: 0 });
    expect(await installed.pulumi('stack', 'init', 'test')).toMatchObject({ code: 0 });
  });
  afterAll(() => installed?.[Symbol.dispose]());

  /** What would be made by a program. */
  async function preview(program: string, ...more: string[]): Promise<Preview['steps']> {
    installed.write('index.js', program);
    const { code, stdout, output } = await installed.pulumi('preview', '--stack', 'test', '--json', ...more);
    expect(code, output).toBe(0);
    return (JSON.parse(stdout) as Preview).steps; // as Pulumi documents it
  }
  const types = (steps: Preview['steps']) => new Set(steps.map(({ newState }) => newState.type));

  it('has its own manifest: peers and nothing else, and nothing that runs when it is installed', () => {
    const manifest = json(join(installed.package, 'package.json'));
    expect(manifest).toMatchObject({ name: '@berth/platform', version: VERSION, type: 'module' });
    for (const key of ['dependencies', 'devDependencies', 'optionalDependencies', 'scripts', 'private'])
      expect(manifest).not.toHaveProperty(key);
    const guide = readFileSync(new URL('../../docs/guides/deploying.md', import.meta.url), 'utf8');
    const told = [...guide.matchAll(/^npm install .*$/gm)].flatMap(
      ([line]) => line.match(/@pulumi\S+/g) ?? [],
    );
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual(told.sort());
    expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(['@pulumi/policy']); // for the policy pack alone
    expect(readdirSync(installed.package)).toEqual(expect.arrayContaining(['LICENSE', 'README.md']));
  });

  it('tells Pulumi to start its plugin and its policy pack with Node, as they are started here', () => {
    expect(installed.settings('PulumiPlugin.yaml')).toEqual({ runtime: 'nodejs' });
    expect(installed.settings('policy/PulumiPolicy.yaml')).toEqual({
      runtime: 'nodejs',
      description: expect.stringMatching(/\w/),
    });
    for (const folder of ['', 'policy']) {
      const { main } = json(join(installed.package, folder, 'package.json'));
      expect(statSync(join(installed.package, folder, main)).isFile()).toBe(true);
    }
  });

  it('is small, and has neither sources nor the program of our stacks', () => {
    expect(statSync(installed.tarball).size).toBeLessThan(4 * MIB);
    const files = readdirSync(installed.package, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /(?<!\.d)\.ts$|^infra\/(main|index)\./.test(name))).toEqual([]);
  });

  it('type-checks in a strict program, its own types among it', async () => {
    installed.write('program.ts', IN_TYPESCRIPT);
    const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', types: ['node'] };
    installed.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['program.ts'] }));
    const outcome = await installed.run(process.execPath, ['node_modules/typescript/bin/tsc']);
    expect(outcome.output).toBe('');
    expect(outcome.code).toBe(0);
  });

  it('is previewed, with images made of its own contexts', async () => {
    const steps = await preview(IN_JAVASCRIPT);
    expect(types(steps)).toContain('docker:index/container:Container');
    const images = steps.filter(({ newState }) => newState.type === 'docker-build:index:Image');
    const made = images.map(({ newState: { inputs } }) => ({ context: inputs.context, tags: inputs.tags }));
    const ofImage = (name: string) => ({
      context: { location: join(installed.package, 'dist/image-contexts', name) },
      tags: [expect.stringMatching(`^${name}:${VERSION}-[0-9a-f]{12}\\.agents$`)],
    });
    const names = ['workspace-base', 'workspace-editor', 'function-node', 'function-python', 'runtime'];
    expect(made).toHaveLength(names.length);
    expect(made).toEqual(expect.arrayContaining(names.map(ofImage)));
  });

  it('has the runtime as a command', async () => {
    const { code, output } = await installed.run(join(installed.project, 'node_modules/.bin/berth'), [
      '--help',
    ]);
    expect(output).toContain('destroy-all');
    expect(code).toBe(0);
  });

  describe('as a plugin', () => {
    it('has a schema of every argument and output, with words, defaults and what is secret', async () => {
      const { code, stdout, output } = await installed.pulumi('package', 'get-schema', installed.plugin);
      expect(code, output).toBe(0);
      const { name, version, resources, types: named } = JSON.parse(stdout);
      expect({ name, version }).toEqual({ name: 'berth', version: VERSION });
      const component = resources['berth:index:WorkspacePlatform'];
      expect(component).toMatchObject({ isComponent: true, requiredInputs: ['platform'] });
      expect(Object.keys(component.inputProperties).sort()).toEqual([...ARGUMENT_NAMES].sort());
      expect(Object.keys(component.properties).sort()).toEqual([
        'apiKey',
        'backend',
        'url',
        'version',
        'vpcId',
      ]);
      expect(component.required).toEqual(['apiKey', 'backend', 'url', 'version']);
      expect(component.properties.apiKey).toMatchObject({ type: 'string', secret: true });
      const { inputProperties } = component;
      expect(inputProperties.warmPoolMin).toMatchObject({
        type: 'integer',
        description:
          'Fewest containers kept ready: no more than `warmPoolMax`. Default: docker 2, ecs 50. For instance: 2',
      });
      expect(inputProperties.allowedDomains).toMatchObject({ type: 'array', items: { type: 'string' } });
      expect(inputProperties.destroyData).toMatchObject({ type: 'boolean' });
      for (const property of [...Object.values(inputProperties), ...Object.values(component.properties)])
        expect(property).toMatchObject({ description: expect.stringMatching(/\w/) });
      expect(named['berth:index:PlatformKind'].enum).toEqual([
        { name: 'Docker', value: 'docker' },
        { name: 'Ecs', value: 'ecs' },
      ]);
      expect(inputProperties.egressMode.$ref).toBe('#/types/berth:index:EgressMode');
    });

    it('makes a platform for a program that knows its token only', async () => {
      const steps = await preview(BY_TOKEN.replace('ARGS', "{ platform: 'docker', egressMode: 'service' }"));
      const urns = steps.map(({ urn }) => urn);
      expect(urns).toContainEqual(
        expect.stringContaining(
          'WorkspacePlatform$berth:index:DockerPlatform$docker:index/container:Container::agents-proxy',
        ),
      );
    });

    it('refuses what can not be made, in words', async () => {
      installed.write('index.js', BY_TOKEN.replace('ARGS', "{ platform: 'mainframe' }"));
      const { code, output } = await installed.pulumi('preview', '--stack', 'test');
      expect(output).toContain('platform wants one of docker, ecs, for instance docker');
      expect(code).not.toBe(0);
    });
  });

  describe('as a policy pack', () => {
    it('refuses a container that is open to all, and tells what to do', async () => {
      installed.write('index.js', OPEN);
      const args = ['preview', '--stack', 'test', '--policy-pack', installed.policyPack()];
      const { code, output } = await installed.pulumi(...args);
      expect(code).not.toBe(0);
      expect(output).toContain(`berth@v${VERSION}`);
      for (const words of [
        'Port 80 is published on every address. Put it into private subnets',
        'The container is privileged',
        'nginx:latest, whose tag can be moved',
      ])
        expect(output).toContain(words);
    });

    it('lets the platform be', async () => {
      installed.write('index.js', IN_JAVASCRIPT);
      const args = ['preview', '--stack', 'test', '--policy-pack', installed.policyPack()];
      const { code, output } = await installed.pulumi(...args);
      expect(code, output).toBe(0);
      expect(output).toContain(`berth@v${VERSION}`);
      expect(output).not.toContain('[mandatory]');
    });
  });
});
