import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EgressLog } from './gate.ts';
import { type ProxySettings, parseSettings, SettingsError } from './settings.ts';

/** What a program runs until it is told to end. */
export interface Running {
  proxy: Server;
  /** Where it listens, if not on all addresses. */
  proxyHost?: string;
  admin: Server;
  /** Ends what is in work. */
  close(): void;
}

/** One JSON object a line, on stdout. */
export const printLine: EgressLog = (line) => {
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`);
};

/** Reads arguments and environment, listens, and ends at SIGTERM or SIGINT; a problem is one line and exit 2. */
export async function runProgram(
  name: string,
  help: string,
  start: (settings: ProxySettings) => Running,
): Promise<void> {
  const [argument] = process.argv.slice(2);
  if (argument === '--help' || argument === '-h') {
    process.stdout.write(help);
    return;
  }
  const fail = (problem: string): never => {
    process.stderr.write(`${name}: ${problem}\n`);
    process.exit(2);
  };
  if (argument !== undefined) fail(`it takes no arguments but --help, and not ${argument}`);
  const settings = readSettings(fail);
  // Who reads the log may go before the program does.
  process.stdout.on('error', () => {});

  const running = start(settings);
  const end = (): never => {
    running.close();
    process.exit(0);
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  try {
    const proxyPort = await listenOn(running.proxy, settings.listenPort, running.proxyHost);
    const adminPort = await listenOn(running.admin, settings.adminPort);
    printLine({ level: 'info', message: 'listening', program: name, proxyPort, adminPort });
  } catch (error) {
    fail(`cannot listen: ${error instanceof Error ? error.message : error}`);
  }
}

function readSettings(fail: (problem: string) => never): ProxySettings {
  try {
    return parseSettings(process.env);
  } catch (error) {
    if (error instanceof SettingsError) return fail(error.message);
    throw error;
  }
}

/** Without a host: on all addresses. */
async function listenOn(server: Server, port: number, host?: string): Promise<number> {
  server.listen({ port, ...(host !== undefined && { host }) });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // it listens on TCP
}
