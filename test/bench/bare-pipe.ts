import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { must } from '../support/must.ts';

/** The least that can stand between an agent and a client. */
const PROGRAM = `
const { createServer, request } = require('node:http');
const server = createServer((incoming, response) => {
  const headers = { authorization: 'Bearer ' + process.env.TOKEN, 'content-type': 'application/json' };
  const outgoing = request({ socketPath: process.env.SOCKET, path: '/execute', method: 'POST', headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(outgoing);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

/** A Node HTTP server, in a process of its own, that pipes an agent's `/execute` to its client. */
export class BarePipe implements AsyncDisposable {
  readonly url: URL;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: string) {
    this.#child = child;
    this.url = new URL(`http://127.0.0.1:${port}/`);
  }

  static async start({ socket, token }: { socket: string; token: string }): Promise<BarePipe> {
    const child = spawn(process.execPath, ['-e', PROGRAM], {
      env: { SOCKET: socket, TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = await once(createInterface({ input: must(child.stdout) }), 'line');
    return new BarePipe(child, port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
