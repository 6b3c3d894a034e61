import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../../runtime/egress/', import.meta.url));

export interface RunningProgram {
  child: ChildProcess;
  proxyPort: number;
  adminPort: number;
  /** What it printed, line by line. */
  lines: string[];
  stop(): Promise<void>;
}

/** Runs one of the proxy's programs until it ends; its output and how it ended. */
export async function runToEnd(file: string, env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [folder + file, ...args], { env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, stdout, stderr };
}

/** Starts one of the proxy's programs on free ports, and waits until it listens. */
export async function startProgram(file: string, env: Record<string, string>): Promise<RunningProgram> {
  const child = spawn(process.execPath, [folder + file], {
    env: { PROXY_LISTEN_PORT: '0', ADMIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  await Promise.race([once(reader, 'line'), once(child, 'exit')]);
  const { proxyPort, adminPort } = JSON.parse(lines[0] ?? '{}');
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  if (typeof proxyPort !== 'number') throw new Error(`${file} did not come up`);
  return { child, proxyPort, adminPort, lines, stop };
}
