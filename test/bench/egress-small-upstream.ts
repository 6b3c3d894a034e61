import { type AddressInfo, createServer } from 'node:net';

const BODY = `${'x'.repeat(199)}\n`;
const HEAD = `Content-Type: text/plain\r\nContent-Length: ${BODY.length}\r\n`;
const ANSWER = Buffer.from(`HTTP/1.1 200 OK\r\n${HEAD}\r\n${BODY}`);
/** In the version in which every answer is the last: tinyproxy passes that on, but no `Connection` header. */
const LAST_ANSWER = Buffer.from(`HTTP/1.0 200 OK\r\n${HEAD}Connection: close\r\n\r\n${BODY}`);
const CLOSES = /\r\nconnection: *close(\r\n|$)/i;

/** A program: answers every request with the same few bytes, as lightly as a server can. */
const server = createServer({ noDelay: true }, (socket) => {
  let rest = '';
  socket.on('error', () => {}); // a proxy may drop what it needs no more
  socket.on('data', (chunk) => {
    const heads = (rest + chunk.toString('latin1')).split('\r\n\r\n');
    rest = heads.pop() ?? '';
    for (const head of heads) {
      if (CLOSES.test(head)) socket.end(LAST_ANSWER);
      else socket.write(ANSWER);
    }
  });
});
server.listen({ port: 0, host: '127.0.0.2', backlog: 1024 }, () => {
  console.log((server.address() as AddressInfo).port); // it listens on TCP
});
