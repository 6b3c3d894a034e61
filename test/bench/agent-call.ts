import { type Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A plain HTTP call over a socket file, as anyone would write it. */
export function call(
  socketPath: string,
  path: string,
  options: { token?: string; body?: unknown; agent?: Agent } = {},
) {
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  return new Promise<string>((resolve, reject) => {
    const outgoing = request(
      {
        socketPath,
        path,
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
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => resolve(text));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Resolves with the first answer of a socket that is still coming up. */
export async function firstAnswer(socketPath: string, path: string): Promise<string> {
  for (;;) {
    try {
      return await call(socketPath, path);
    } catch {
      await sleep(2);
    }
  }
}
