import { isIP, type Socket } from 'node:net';
import { Refusal, type Target } from '../verdict/refusal.ts';
import { readClientHello } from './client-hello.ts';
import { MOST_HELLO_BYTES } from './limits.ts';

/**
 * Takes the client's first bytes until its ClientHello is whole, and gives them back to the connection when it names
 * the target. Rejects with a `wrong_sni` refusal otherwise, or when it does not come in time. False: the client left
 * without having sent a byte.
 */
export function expectHello(client: Socket, target: Target, patienceMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = () => {
      clearTimeout(timer);
      client.pause();
      client.off('data', onData).off('end', onEnd).off('close', onEnd);
    };
    const refuse = (why: string) => {
      stop();
      reject(
        new Refusal('wrong_sni', `The TLS handshake is not one for ${target.host}: ${why}.`, { target }),
      );
    };
    const onData = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      const problem = judge(bytes, target);
      if (problem === 'more') return;
      if (problem !== undefined) return refuse(problem);
      stop();
      client.unshift(bytes);
      resolve(true);
    };
    const onEnd = () => {
      if (bytes.length > 0) return refuse('the connection ended in the middle of it');
      stop();
      resolve(false);
    };
    const timer = setTimeout(() => refuse('it did not come in time'), patienceMs);
    client.on('data', onData).on('end', onEnd).on('close', onEnd);
    client.resume();
  });
}

/** What is wrong with the bytes, `more` when they tell nothing yet, or undefined when they name the target. */
function judge(bytes: Buffer, { host }: Target): string | undefined {
  const hello = readClientHello(bytes);
  if (hello.kind === 'none') return hello.why;
  if (hello.kind === 'more') return bytes.length >= MOST_HELLO_BYTES ? 'it is too long' : 'more';
  const expected = isIP(host) === 0 ? host : undefined;
  if (hello.serverName?.toLowerCase() === expected) return undefined;
  return hello.serverName === undefined ? 'it names no host' : 'it names another host';
}
