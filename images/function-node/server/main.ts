import { loadHandler } from './handler.ts';
import { createWorker } from './worker.ts';

// Makes a worker of a handler: a call to any path is a call of the handler. It listens once the handler is loaded.

/** Only this machine, unless told otherwise; the image listens to all. */
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8080;

function fail(message: string): never {
  console.error(`function: ${message}`);
  process.exit(2);
}

function parsePort(given: string | undefined): number {
  const port = given === undefined || given === '' ? DEFAULT_PORT : Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`PORT is not a port: ${given}`);
  return port;
}

const port = parsePort(process.env.PORT);
const handler = await loadHandler(process.env).catch((error: Error) => fail(error.message));
const worker = createWorker(handler);
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => worker.end(() => process.exit(0)));

worker.server.on('error', (error) => fail(`cannot listen on ${port}: ${error.message}`));
worker.server.listen(port, process.env.HOST || DEFAULT_HOST, () => {
  const address = worker.server.address();
  console.log(`function: listens on ${typeof address === 'object' ? address?.port : address}`);
});
