import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PROBE_MS } from '../../containers/container-agent.ts';
import { answerHeaders } from './answer-headers.ts';
import { type Forwarded, notAnswering, passAnswer, said } from './forward-request.ts';

const ANSWER_MS = 30_000;
/** After one side has said its last, the other may take so long. */
const LAST_WORDS_MS = 10_000;

interface Client {
  socket: Socket;
  /** What came right after the request. */
  head: Buffer;
  /** Writes to the same socket, as long as nothing is upgraded. */
  response: ServerResponse;
}

/**
 * Opens a WebSocket to the container and passes its bytes both ways, untouched. Resolves once both sides are closed,
 * or with the answer of a container that does not upgrade; throws `WORKSPACE_NOT_ANSWERING` before that.
 */
export function forwardUpgrade(client: Client, to: Forwarded): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { upstream, path, headers } = to;
  const sent = openRequest({
    createConnection: () => upstream.agent.createConnection(),
    method: 'GET',
    path,
    headers,
    setHost: false,
  });
  const silent = setTimeout(() => sent.destroy(new Error('it gives no answer')), ANSWER_MS);
  sent.once('close', () => clearTimeout(silent));
  client.socket.once('close', () => {
    sent.destroy();
    resolve();
  });
  sent.once('error', (error) => {
    if (client.response.headersSent) client.response.destroy();
    else reject(notAnswering(said(error), error));
  });
  sent.once('upgrade', (answer, socket, head) => {
    clearTimeout(silent);
    const lines = switching(answer, to);
    if (lines === undefined) {
      socket.destroy();
      reject(notAnswering('it opens another kind of connection'));
      return;
    }
    client.response.detachSocket(client.socket);
    client.socket.write(lines, 'latin1');
    upstream.tunnels.add(socket);
    socket.once('close', () => upstream.tunnels.delete(socket));
    join({ stream: client.socket, head: client.head }, { stream: socket, head });
  });
  sent.once('response', (answer) => {
    clearTimeout(silent);
    try {
      passAnswer(answer, client.response, to);
    } catch (error) {
      sent.destroy();
      reject(notAnswering('what it says is no valid HTTP', error));
    }
  });
  sent.end();
  return promise;
}

/** The head of a 101; none for an answer that upgrades to anything but a WebSocket. */
function switching(answer: IncomingMessage, { prefix, host }: Forwarded): string | undefined {
  if (answer.headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const headers = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];
  headers.push(...answerHeaders(answer.rawHeaders, { prefix, host }));
  let lines = 'HTTP/1.1 101 Switching Protocols\r\n';
  for (let at = 0; at + 1 < headers.length; at += 2) lines += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${lines}\r\n`;
}

interface End {
  stream: Socket;
  head: Buffer;
}

function join(one: End, other: End): void {
  for (const { stream } of [one, other]) stream.setNoDelay(true).setKeepAlive(true, PROBE_MS);
  pass(one, other.stream);
  pass(other, one.stream);
}

function pass({ stream, head }: End, to: Socket): void {
  if (head.length > 0) to.write(head);
  stream.pipe(to);
  stream.once('error', () => to.destroy());
  stream.once('close', () => to.destroySoon());
  stream.once('end', () => {
    const cut = setTimeout(() => to.destroy(), LAST_WORDS_MS);
    to.once('close', () => clearTimeout(cut));
  });
}
