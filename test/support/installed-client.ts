import { execFile, execFileSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packPackage } from '../../package/build-package.ts';
import { buildClient } from '../../package/client/build-client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** An empty project with the client installed from its tarball. */
export class InstalledClient implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'berth-client-package-'));
  readonly project = join(this.folder, 'project');
  readonly package = join(this.project, 'node_modules/@berth/client');

  constructor() {
    mkdirSync(this.project);
    buildClient(join(this.folder, 'built'));
    const tarball = packPackage(join(this.folder, 'built'), this.folder);
    this.write('package.json', JSON.stringify({ name: 'of-a-user', private: true, type: 'module' }));
    const args = ['install', '--offline', '--no-audit', '--no-fund', tarball];
    execFileSync('npm', args, { cwd: this.project, stdio: ['ignore', 'ignore', 'pipe'] });
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.project, name), content);
  }

  read(name: string): string {
    return readFileSync(join(this.package, name), 'utf8');
  }

  /** What the compiler has to say of files of the project, which has no types but the platform's. */
  async typeProblems(options: string[], ...files: string[]): Promise<string> {
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit'];
    const args = [join(root, 'node_modules/typescript/bin/tsc'), ...strict, ...options, ...files];
    return run(process.execPath, args, { cwd: this.project }).then(
      () => '',
      ({ stdout }) => stdout,
    );
  }

  /** What a file of the project prints. */
  async run(
    [program = '', ...args]: readonly string[],
    file: string,
    env: Record<string, string>,
  ): Promise<string> {
    const { stdout } = await run(program, [...args, file], {
      cwd: this.project,
      env: { ...process.env, ...env, NODE_OPTIONS: '', NO_COLOR: '1' },
      timeout: 60_000,
    });
    return stdout;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** It may be older than this repository's. */
export function machinesNode(): string {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, 'node')).find(isProgram) ?? process.execPath;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
