import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

// `npm run check`: everything that can be known without running the program. All of it runs, also after a failure.

const checks = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types of the page', command: ['tsc', '-p', 'images/workspace-editor/page'] },
  { name: 'types of the dashboard', command: ['tsc', '-p', 'runtime/dashboard/page'] },
  { name: 'types of the client', command: ['tsc', '-p', 'runtime/client'] },
  { name: 'lint and format', command: ['biome', 'ci', '--colors=off', '.'] },
  {
    name: 'import rules',
    command: ['depcruise', 'runtime', 'infra', 'images', 'package', 'test', 'docs', 'vitest.config.ts'],
  },
  { name: 'dead code', command: ['knip'] },
] as const;

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));

async function run([program, ...args]: readonly string[]): Promise<{ passed: boolean; output: string }> {
  const child = spawn(`${programs}/${program}`, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data;
    });
  }
  const [code] = await once(child, 'close');
  return { passed: code === 0, output };
}

let failed = 0;
for (const { name, command } of checks) {
  const began = performance.now();
  const { passed, output } = await run(command);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (!passed) console.log(output.trimEnd());
  console.log(`${passed ? 'passed' : 'FAILED'} ${name} (${command.join(' ')}, ${seconds} s)`);
  if (!passed) failed++;
}
console.log(`${checks.length - failed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed === 0 ? 0 : 1;
