import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './command.ts';
import { RECORDER, Recorder } from './providers/aws/recorder.ts';
import { VOLUMES_LINK } from './providers/docker/volume.ts';
import { FAIL_ONCE } from './providers/fail-once.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PROVIDERS = ['aws', 'command', 'docker', 'docker-build', 'random'] as const;
/** Only what hangs takes so long, also on a machine that has much else to do. */
const HANGS_MS = 10 * 60_000;
/** As much as tells what went wrong. */
const SAID = 6_000;

export interface StackOptions {
  /** Where `pulumi` is. */
  engine: string;
  /** Names the platform, too, with the stack, so that it is no other test's. */
  project: string;
  /** One of those in stacks/. */
  stack: string;
  /** For the program and the providers. */
  env?: Record<string, string>;
}

/** Of a `pulumi` that keeps all it knows in folders of a test's own. */
export function pulumiEnvironment(folder: string, engine: string): Record<string, string | undefined> {
  return {
    HOME: process.env.HOME,
    PATH: [dirname(process.execPath), engine, process.env.PATH].join(delimiter),
    PULUMI_HOME: join(folder, 'home'),
    PULUMI_BACKEND_URL: `file://${join(folder, 'state')}`,
    PULUMI_CONFIG_PASSPHRASE: 'of a test',
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
  };
}

/** Makes programs that Pulumi can start, our Node with each provider's source, and tells a project where they are. */
export function layProviders(path: string): { name: string; path: string }[] {
  for (const name of PROVIDERS) {
    const main = join(root, 'test/support/pulumi/providers', name, 'main.ts');
    const script = `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`;
    writeFileSync(join(path, `pulumi-resource-${name}`), script, { mode: 0o755 });
  }
  return PROVIDERS.map((name) => ({ name, path }));
}

export interface PreviewStep {
  op: string;
  urn: string;
  /** The resource's name, as the program has it. */
  name: string;
}

/** A command of Pulumi's that failed, with all it said. */
export class PulumiFailed extends Error {}

/**
 * This repository's program and one of its stacks, under a project name of the test's own, on a real engine, with
 * state in a folder that goes with it and the providers of test/support/pulumi/providers.
 */
export class TestStack implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'berth-pulumi-'));
  /** The end of what the last command said, for whoever looks into a failure. */
  lastWords = '';
  readonly #options: StackOptions;

  private constructor(options: StackOptions) {
    this.#options = options;
    for (const part of ['home', 'state', 'providers', 'project']) mkdirSync(join(this.folder, part));
    layProviders(join(this.folder, 'providers'));
    this.#layProject();
  }

  static async create(options: StackOptions): Promise<TestStack> {
    const made = new TestStack(options);
    await made.#pulumi(['stack', 'init', options.stack]);
    return made;
  }

  async config(key: string, value: string): Promise<void> {
    await this.#pulumi(['config', 'set', key, value]);
  }

  async up(): Promise<void> {
    await this.#pulumi(['up', '--yes', '--skip-preview']);
  }

  /** What `up` would change, and nothing of what it would leave alone. */
  async preview(env: Record<string, string> = {}): Promise<PreviewStep[]> {
    const stdout = await this.#pulumi(['preview', '--json'], env);
    const { steps } = JSON.parse(stdout) as { steps: { op: string; urn: string }[] }; // as Pulumi documents it
    const changes = steps.filter(({ op }) => op !== 'same');
    this.lastWords = changes.map(({ op, urn }) => `${op} ${urn}`).join('\n');
    return changes.map(({ op, urn }) => ({ op, urn, name: urn.slice(urn.lastIndexOf('::') + 2) }));
  }

  /** The same for people. */
  previewDiff(): Promise<string> {
    return this.#pulumi(['preview', '--diff']);
  }

  async destroy(): Promise<void> {
    await this.#pulumi(['destroy', '--yes', '--skip-preview']);
  }

  /** Secrets in the clear. */
  async outputs(): Promise<Record<string, string>> {
    return JSON.parse(await this.#pulumi(['stack', 'output', '--json', '--show-secrets']));
  }

  /** As it is kept: secrets are encrypted. */
  state(): Promise<string> {
    return this.#pulumi(['stack', 'export']);
  }

  /** Makes the next creation of a resource whose URN ends like this fail. */
  failOnce(name: string): void {
    writeFileSync(this.#failOnceFile, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What there is on AWS. */
  get aws(): Recorder {
    return new Recorder(this.#awsFolder);
  }

  get #awsFolder(): string {
    return join(this.folder, 'aws');
  }

  get #failOnceFile(): string {
    return join(this.folder, 'fail-once');
  }

  /** The repository as Pulumi sees it, but for the name, the providers, and stacks that may be written to. */
  #layProject(): void {
    const project = join(this.folder, 'project');
    for (const part of ['infra', 'node_modules', 'package.json'])
      symlinkSync(join(root, part), join(project, part));
    cpSync(join(root, 'stacks'), join(project, 'stacks'), { recursive: true });
    const path = join(this.folder, 'providers');
    const plugins = { providers: PROVIDERS.map((name) => ({ name, path })) };
    const text = readFileSync(join(root, 'Pulumi.yaml'), 'utf8').replace(
      /^name: .*$/m,
      `name: ${this.#options.project}`,
    );
    writeFileSync(join(project, 'Pulumi.yaml'), `${text.trimEnd()}\nplugins: ${JSON.stringify(plugins)}\n`);
  }

  async #pulumi(args: string[], more: Record<string, string> = {}): Promise<string> {
    const { engine, stack, env } = this.#options;
    const common = ['--non-interactive', '--color', 'never'];
    const named = args[1] === 'init' ? [] : ['--stack', stack];
    const { code, stdout, output } = await runCommand(
      join(engine, 'pulumi'),
      [...args, ...named, ...common],
      {
        cwd: join(this.folder, 'project'),
        env: {
          ...pulumiEnvironment(this.folder, engine),
          [FAIL_ONCE]: this.#failOnceFile,
          [VOLUMES_LINK]: join(this.folder, 'volumes'),
          [RECORDER]: this.#awsFolder,
          ...env,
          ...more,
        },
        withinMs: HANGS_MS,
      },
    );
    this.lastWords = `pulumi ${args.join(' ')} ended with ${code}:\n${output.slice(-SAID)}`;
    if (code !== 0) throw new PulumiFailed(this.lastWords);
    return stdout;
  }
}
