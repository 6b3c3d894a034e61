import { mkdirSync, realpathSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { welcome } from './files/welcome.ts';
import { createEditorServer } from './http/editor-server.ts';
import { Terminals } from './terminals/terminals.ts';

// The web editor of a workspace: files and terminals of HOME, on HOST and PORT. Who may come here is the proxy's to say.

/** Only this machine's proxy, unless told otherwise: whoever reaches the port has a shell. The image listens to all. */
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8080;

function fail(message: string): never {
  console.error(`editor: ${message}`);
  process.exit(2);
}

function parsePort(given: string | undefined): number {
  const port = given === undefined || given === '' ? DEFAULT_PORT : Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`PORT is not a port: ${given}`);
  return port;
}

function findHome(): string {
  const home = homedir();
  try {
    mkdirSync(home, { recursive: true });
    return realpathSync(home);
  } catch (error) {
    fail(`HOME is not a folder: ${error instanceof Error ? error.message : error}`);
  }
}

const port = parsePort(process.env.PORT);
const home = findHome();
welcome(home);
const terminals = new Terminals(home, process.env);
const server = createEditorServer({ home, terminals });

async function end(): Promise<void> {
  server.close();
  await terminals.closeAll();
  process.exit(0);
}
process.once('SIGTERM', () => void end());
process.once('SIGINT', () => void end());

server.on('error', (error) => fail(`cannot listen on ${port}: ${error.message}`));
server.listen(port, process.env.HOST || DEFAULT_HOST, () => {
  const address = server.address();
  console.log(`editor: listens on ${typeof address === 'object' ? address?.port : address}`);
  flushCompileCache(); // a workspace that is stopped is killed, and would leave nothing for its next start
});
