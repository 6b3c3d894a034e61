import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import express from 'express';

// A program: the least of express and undici that stands between callers and workers, one call a worker at a time.
// undici comes with other packages here; only this needs it, and only to be measured against.

type Headers = Record<string, string | string[] | undefined>;
interface Client {
  stream(
    call: { path: string; method: 'POST'; headers: Headers; body: NodeJS.ReadableStream },
    answer: (head: { statusCode: number; headers: Headers }) => NodeJS.WritableStream,
  ): Promise<unknown>;
}
const undici = createRequire(import.meta.url)(['undici'].join()) as {
  Client: new (origin: string, options: { socketPath: string }) => Client;
};

const sockets: string[] = JSON.parse(process.argv[2] ?? '[]');
const free = sockets.map((socketPath) => new undici.Client('http://function', { socketPath }));
const app = express();

app.post('/invoke', (request, response, next) => {
  const client = free.pop();
  if (client === undefined) return void response.status(503).end();
  const headers = {
    'content-type': request.headers['content-type'],
    'content-length': request.headers['content-length'],
  };
  client
    .stream({ path: '/', method: 'POST', headers, body: request }, (answer) => {
      const { connection: _, 'keep-alive': __, ...passed } = answer.headers;
      response.writeHead(answer.statusCode, passed);
      return response;
    })
    .then(() => free.push(client), next);
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify((server.address() as AddressInfo).port));
});
