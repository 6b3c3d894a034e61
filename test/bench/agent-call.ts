import { type Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';

/** Where to call: a path over a socket file, or over the network. */
export type Target = { socketPath: string; path: string } | URL;

export interface CallOptions {
  token?: string;
  body?: unknown;
  agent?: Agent;
}

/** A plain HTTP call, as anyone would write it: `onChunk` gets the answer as it comes. Resolves at its end. */
export function stream(
  target: Target,
  options: CallOptions,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...(target instanceof URL ? urlToHttpOptions(target) : target),
        method: body === undefined ? 'GET' : 'POST',
        ...(options.agent === undefined ? {} : { agent: options.agent }),
        headers: {
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      },
      (answer) => {
        answer.on('data', onChunk);
        answer.on('end', resolve);
        answer.on('error', reject);
        if (answer.statusCode !== 200) reject(new Error(`${target} answered ${answer.statusCode}`));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The answer as text. */
export async function call(target: Target, options: CallOptions = {}): Promise<string> {
  const chunks: Buffer[] = [];
  await stream(target, options, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks).toString();
}

/** Resolves with the first answer of a socket that is still coming up. */
export async function firstAnswer(socketPath: string, path: string): Promise<string> {
  for (;;) {
    try {
      return await call({ socketPath, path });
    } catch {
      await sleep(2);
    }
  }
}
