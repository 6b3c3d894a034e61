import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { connect } from 'node:net';

/** What stands before the editor without a domain: a path of its own, which is gone when a request arrives. */
export async function startPrefixProxy(port: number, prefix: string, socket: string): Promise<Server> {
  const strip = (url = '') => (url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : undefined);
  const server = createServer((req, res) => {
    const path = strip(req.url);
    if (path === undefined) {
      res.writeHead(404).end();
      return;
    }
    const { method, headers } = req;
    const upstream = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    upstream.on('error', () => res.destroy());
    req.pipe(upstream);
  });
  server.on('upgrade', (req, stream, head) => {
    const upstream = connect(port, '127.0.0.1');
    for (const end of [stream, upstream]) end.on('error', () => {});
    const headers = req.rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    upstream.write(`GET ${strip(req.url)} HTTP/1.1\r\n${headers}\r\n`);
    upstream.write(head);
    stream.pipe(upstream).pipe(stream);
    stream.on('close', () => upstream.destroy());
    upstream.on('close', () => stream.destroy());
  });
  server.listen(socket);
  await once(server, 'listening');
  return server;
}
