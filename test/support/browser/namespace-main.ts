import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

// node namespace-main.ts PORT SOCKET PROGRAM [ARGUMENT ...], in a network of its own: leads a port of its loopback to a
// socket outside, then runs the program with all that this one was given.

const [port, socket = '', program = '', ...args] = process.argv.slice(2);

const relay = createServer((inner) => {
  const outer = connect(socket);
  inner.on('error', () => outer.destroy()).on('close', () => outer.destroy());
  outer.on('error', () => inner.destroy()).on('close', () => inner.destroy());
  inner.pipe(outer).pipe(inner);
}).listen(Number(port), '127.0.0.1');
await once(relay, 'listening');
// 3 and 4 are what the browser is driven through.
const child = spawn(program, args, { stdio: ['inherit', 'inherit', 'inherit', 3, 4] });
child.on('exit', (code) => process.exit(code ?? 1));
