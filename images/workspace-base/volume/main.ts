import { createServer } from 'node:http';
import { sendJson } from '../agent/http/send-json.ts';
import { Token } from '../agent/token.ts';
import { ScriptRun } from './script-run.ts';
import { readSettings } from './settings.ts';

// What works on the files of a volume where the runtime can't attach to a container: it runs one script that it is given
// over the network, with the connection as its stdin and outputs, and ends as the script does.

const MOST_NONCE = 128;
/** How long it waits for whoever started it. */
const PATIENCE_MS = 30_000;
const PROBE_MS = 10_000;
/** As a shell tells of what was killed, and of what was asked to leave. */
const KILLED = 137;
const TERMINATED = 143;

let run: ScriptRun | undefined;

function leave(code: number): never {
  run?.kill();
  process.exit(code);
}

try {
  const { token: secret, port, folder } = readSettings(process.env);
  const token = new Token(secret);
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', 'http://volume');
    const nonce = url?.searchParams.get('nonce') ?? '';
    if (request.method !== 'GET' || url?.pathname !== '/health' || nonce.length > MOST_NONCE)
      return sendJson(response, 404, {});
    sendJson(response, 200, { status: 'ok', ...(nonce !== '' && { proof: token.prove(nonce) }) });
  });
  // One that is cut off without a word is found out.
  server.on('connection', (socket) => socket.setKeepAlive(true, PROBE_MS));
  server.on('upgrade', (request, socket, head): unknown => {
    const refuse = (status: string) => socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
    socket.on('error', () => {}); // its close tells
    if (!token.admits(request.headers.authorization)) return refuse('401 Unauthorized');
    if (request.url !== '/run' || run !== undefined) return refuse('409 Conflict');
    const order = ScriptRun.parse(request.headers['x-berth-run']);
    if (order === undefined) return refuse('400 Bad Request');
    clearTimeout(patience);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: berth-volume\r\n\r\n');
    socket.unshift(head);
    run = new ScriptRun(order, folder, socket);
    return socket.once('close', () => leave(run?.exitCode ?? KILLED));
  });
  const patience = setTimeout(() => leave(0), PATIENCE_MS);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => leave(TERMINATED));
  server.listen(port);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(2);
}
