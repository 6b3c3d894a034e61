import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { SETTINGS } from './settings.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Runs the app as this program's child, and ends as it ends. */
export function runApp([program = '', ...args]: string[]): void {
  const child = spawn(program, args, { env: appEnvironment(process.env), stdio: 'inherit' });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`the app can't be started: ${error.message}`);
    process.exit(127);
  });
  child.on('exit', (code, signal) =>
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  );
}

function appEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours: readonly string[] = SETTINGS;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.includes(name)));
}
