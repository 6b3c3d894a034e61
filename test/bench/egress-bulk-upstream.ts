import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type BulkOrder, sendBytes } from './egress-bulk.ts';

/** A program: the far end of tunnels. A connection begins with its order, a line of JSON. */
const server = createServer((socket) => {
  socket.on('error', () => {}); // the client has what it wanted
  socket.once('data', (first) => {
    const end = first.indexOf('\n');
    const { way, bytes }: BulkOrder = JSON.parse(first.subarray(0, end).toString());
    if (way === 'down') sendBytes(socket, bytes);
    else take(socket, bytes, first.length - end - 1);
  });
});
server.listen(0, '127.0.0.2', () => {
  console.log((server.address() as AddressInfo).port); // it listens on TCP
});

function take(socket: Socket, bytes: number, already: number): void {
  let left = bytes - already;
  const answer = (): void => {
    if (left <= 0) socket.write('.');
  };
  socket.on('data', (chunk) => {
    left -= chunk.length;
    answer();
  });
  answer();
}
