import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackage, packPackage } from '../../../package/build-package.ts';
import { type CommandOutcome, runCommand } from './command.ts';
import { layProviders, pulumiEnvironment } from './run.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Whatever the host for Node does to start plugins and policy packs, which the tests' host is too old for. */
const LAUNCHED = 'launched-node';
/** Only what hangs takes so long, also on a machine that has much else to do. */
const HANGS_MS = 10 * 60_000;

/**
 * An empty project with our package installed from its tarball, and beside it what a user has by himself: Pulumi's
 * packages and a compiler. `pulumi` works in it, with the tests' providers.
 */
export class InstalledPackage implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'berth-package-'));
  readonly project = join(this.folder, 'project');
  readonly package = join(this.project, 'node_modules/@berth/platform');
  /** Starts our plugin: a path that Pulumi takes for a package. */
  readonly plugin = join(this.folder, 'providers/pulumi-resource-berth');
  readonly tarball: string;
  readonly #engine: string;

  constructor(engine: string) {
    this.#engine = engine;
    for (const part of ['home', 'state', 'providers', 'built', 'project', 'project/node_modules'])
      mkdirSync(join(this.folder, part));
    buildPackage(join(this.folder, 'built'));
    this.tarball = packPackage(join(this.folder, 'built'), this.folder);
    this.write('package.json', JSON.stringify({ name: 'of-a-user', private: true, type: 'module' }));
    this.#layPlugins();
  }

  /** A file of the project. */
  write(name: string, content: string): void {
    mkdirSync(dirname(join(this.project, name)), { recursive: true });
    writeFileSync(join(this.project, name), content);
  }

  /** With what is in the tarball, and no network: its peers are there already. */
  async install(): Promise<CommandOutcome> {
    const args = ['install', '--offline', '--no-audit', '--no-fund', '--legacy-peer-deps', this.tarball];
    const outcome = await this.run('npm', args);
    for (const name of ['@pulumi', '@types', 'typescript', 'undici-types'])
      symlinkSync(join(root, 'node_modules', name), join(this.project, 'node_modules', name));
    return outcome;
  }

  run(program: string, args: string[], env: Record<string, string> = {}): Promise<CommandOutcome> {
    return runCommand(program, args, {
      cwd: this.project,
      env: { ...pulumiEnvironment(this.folder, this.#engine), ...env },
      withinMs: HANGS_MS,
    });
  }

  pulumi(...args: string[]): Promise<CommandOutcome> {
    return this.run(join(this.#engine, 'pulumi'), [...args, '--non-interactive', '--color', 'never']);
  }

  /** The package's policy pack as the tests' host can start it. */
  policyPack(): string {
    const pack = join(this.package, 'policy-of-a-test');
    cpSync(join(this.package, 'policy'), pack, { recursive: true });
    const settings = { ...this.settings('policy/PulumiPolicy.yaml'), runtime: LAUNCHED };
    writeFileSync(join(pack, 'PulumiPolicy.yaml'), JSON.stringify(settings));
    return pack;
  }

  /** What a file of the package, one `key: value` a line, tells Pulumi. */
  settings(name: string): Record<string, string> {
    const lines = readFileSync(join(this.package, name), 'utf8').trim().split('\n');
    return Object.fromEntries(
      lines.map((line) => [line.split(': ')[0], line.split(': ').slice(1).join(': ')]),
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #layPlugins(): void {
    const path = join(this.folder, 'providers');
    const providers = [...layProviders(path), { name: 'berth', path }];
    const analyzers = [{ name: `policy-${LAUNCHED}`, path }];
    const launcher = (of: string, before: string) => {
      const started = join(root, 'node_modules/@pulumi/pulumi/cmd', of);
      return `#!/bin/sh\nexec '${process.execPath}' '${started}' ${before} "$@"\n`;
    };
    writeFileSync(this.plugin, launcher('run-plugin', `'${this.package}'`), { mode: 0o755 });
    const analyzer = join(path, `pulumi-analyzer-policy-${LAUNCHED}`);
    writeFileSync(analyzer, launcher('run-policy-pack', ''), { mode: 0o755 });
    const project = {
      name: 'of-a-user',
      main: 'index.js',
      runtime: { name: 'nodejs', options: { typescript: false } },
    };
    this.write('Pulumi.yaml', JSON.stringify({ ...project, plugins: { providers, analyzers } }));
  }
}
