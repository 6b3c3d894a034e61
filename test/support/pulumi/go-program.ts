import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';

/** A program that is built from a Go module. */
export interface GoProgram {
  /** Its file. */
  readonly name: string;
  readonly package: string;
  readonly version: string;
}

const GO_VERSION = '1.25.11';
const TOLD_EVERY_MS = 15_000;

/** Builds a program into `path`, whole or not at all. Throws with the end of what Go said. */
export async function buildGoProgram(
  go: string,
  program: GoProgram,
  path: string,
  say: (line: string) => void,
): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const folder = mkdtempSync(`${path}-`);
  const built = join(folder, program.name);
  const version = `github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${program.version}`;
  try {
    writeFileSync(join(folder, 'go.mod'), `module build\n\ngo ${GO_VERSION}\n`);
    writeFileSync(
      join(folder, 'tools.go'),
      `//go:build tools\n\npackage tools\n\nimport _ "${program.package}"\n`,
    );
    const began = performance.now();
    let doing = '';
    const ticker = setInterval(
      () => say(`  ${doing}, ${Math.round((performance.now() - began) / 1000)} s`),
      TOLD_EVERY_MS,
    );
    try {
      for (const args of [
        ['get', `${program.package}@v${program.version}`],
        ['mod', 'tidy'],
        ['build', '-trimpath', '-ldflags', `-s -w -X ${version}`, '-o', built, program.package],
      ]) {
        doing = `go ${args[0]} for ${program.name}`;
        await runGo(go, args, folder);
      }
    } finally {
      clearInterval(ticker);
    }
    renameSync(built, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Behind whatever else the machine does: it takes all cores for minutes. */
async function runGo(go: string, args: string[], folder: string): Promise<void> {
  const child = spawn(go, args, {
    cwd: folder,
    env: { ...process.env, GOWORK: 'off', GOFLAGS: '-mod=mod' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let said = '';
  child.stderr.on('data', (data: Buffer) => {
    said = (said + data).slice(-4_000);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`go ${args[0]} ended with ${code}:\n${said.trimEnd()}`);
}
