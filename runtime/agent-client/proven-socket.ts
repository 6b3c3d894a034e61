import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { AgentMisbehaved } from './agent-failures.ts';

const CONNECT_MS = 2000;
const PROOF_MS = 1000;
const MOST_BYTES = 4 * 1024;
const HEAD_END = '\r\n\r\n';

/**
 * A connection to whoever has this address now, once it has shown that it knows the token: an address may have passed
 * on to another's container. Nothing of ours is said before. Throws `AgentMisbehaved` where it does not know it.
 */
export async function openProven(host: string, port: number, token: string): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  try {
    await settled(socket, 'connect', CONNECT_MS, 'it does not take the connection');
    const nonce = randomBytes(16).toString('hex');
    socket.write(`GET /health?nonce=${nonce} HTTP/1.1\r\nhost: agent\r\n\r\n`);
    const proof = Buffer.from(proofIn(await readAnswer(socket)), 'hex');
    const expected = createHmac('sha256', token).update(nonce).digest();
    if (proof.length === expected.length && timingSafeEqual(proof, expected)) return socket;
    throw new AgentMisbehaved('it does not prove to be the agent of this container');
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** One answer with a length, and not a byte more. */
async function readAnswer(socket: Socket): Promise<{ head: string; body: string }> {
  let read = Buffer.alloc(0);
  const deadline = performance.now() + PROOF_MS;
  for (;;) {
    const answer = parse(read);
    if (answer !== undefined) return answer;
    const chunk: Buffer | null = socket.read();
    if (chunk !== null) read = Buffer.concat([read, chunk]);
    else await settled(socket, 'readable', deadline - performance.now(), `no health within ${PROOF_MS} ms`);
  }
}

function parse(read: Buffer): { head: string; body: string } | undefined {
  if (read.length > MOST_BYTES) throw new AgentMisbehaved(`more than ${MOST_BYTES} bytes`);
  const text = read.toString('latin1');
  const end = text.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = /^content-length: (\d{1,5})$/im.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 200 ') || length === undefined || /^transfer-encoding:/im.test(head)) {
    throw new AgentMisbehaved('its answer is no health');
  }
  const body = text.slice(end + HEAD_END.length);
  if (body.length > Number(length)) throw new AgentMisbehaved('it says more than it was asked');
  return body.length === Number(length) ? { head, body } : undefined;
}

function proofIn({ body }: { body: string }): string {
  try {
    const { proof }: { proof?: unknown } = JSON.parse(body);
    return typeof proof === 'string' ? proof : '';
  } catch (error) {
    throw new AgentMisbehaved('its health is not JSON', error);
  }
}

/** Until the event; throws where the socket fails or closes first, or time is up. */
async function settled(
  socket: Socket,
  event: 'connect' | 'readable',
  withinMs: number,
  otherwise: string,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onClose = () => reject(new Error('it closed the connection'));
  const timer = setTimeout(() => reject(new Error(otherwise)), Math.max(0, withinMs));
  const onEvent = () => (socket.readableEnded ? onClose() : resolve());
  socket.on('error', reject).on('close', onClose).on('end', onClose).on(event, onEvent);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    socket.off('error', reject).off('close', onClose).off('end', onClose).off(event, onEvent);
  }
}
