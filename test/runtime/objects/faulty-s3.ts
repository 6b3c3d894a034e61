import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';

/** What becomes of a request that would otherwise pass. */
export type Fault =
  /** It is read, and answered so without reaching the store. */
  | { status: number; code: string; body?: string }
  /** It is answered before its content is read. */
  | { early: number; code: string }
  /** It is read, and the connection breaks. */
  | 'lose-request'
  /** The store carries it out, and its answer never arrives. */
  | 'lose-answer'
  /** Only the beginning of the answer's content arrives. */
  | 'cut-answer'
  /** Nothing: it passes, before the fault of a later one. */
  | 'none';

export interface SeenRequest {
  method: string;
  path: string;
}

/** Stands before an S3 and makes what the store, or the way to it, does wrong. */
export class FaultyS3 implements AsyncDisposable {
  readonly endpoint: string;
  /** All requests so far. */
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;
  readonly #target: string;
  readonly #faults: Fault[] = [];
  /** For requests that no fault waits for. */
  otherwise: (request: SeenRequest) => Fault | undefined | Promise<Fault | undefined> = () => undefined;

  private constructor(server: Server, target: string) {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
    this.endpoint = `http://127.0.0.1:${address.port}`;
    this.#server = server;
    this.#target = target;
    server.on('request', (incoming, answer) => {
      this.#handle(incoming, answer).catch(() => incoming.socket.destroy());
    });
  }

  static async before(target: string): Promise<FaultyS3> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyS3(server, target);
  }

  /** One for each of the requests to come. */
  next(...faults: Fault[]): void {
    this.#faults.push(...faults);
    this.seen.length = 0;
  }

  get methods(): string[] {
    return this.seen.map(({ method }) => method);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', url = '' } = incoming;
    this.seen.push({ method, path: url });
    const fault = this.#faults.shift() ?? (await this.otherwise({ method, path: url }));
    if (typeof fault === 'object') {
      if ('status' in fault) for await (const _ of incoming);
      const code = `<Error><Code>${fault.code}</Code><Message>made by the test</Message></Error>`;
      const body = ('body' in fault && fault.body) || code;
      answer.writeHead('early' in fault ? fault.early : fault.status, {
        'Content-Type': 'application/xml',
        'Content-Length': Buffer.byteLength(body),
        ...('early' in fault ? { Connection: 'close' } : {}),
      });
      answer.end(method === 'HEAD' ? undefined : body);
      return;
    }
    if (fault === 'lose-request') {
      for await (const _ of incoming);
      incoming.socket.destroy();
      return;
    }
    // The host that was signed is kept.
    const passed = request(`${this.#target}${url}`, { method, headers: incoming.headers });
    incoming.pipe(passed);
    incoming.on('close', () => incoming.complete || passed.destroy());
    const [answered]: IncomingMessage[] = await once(passed, 'response');
    if (answered === undefined) throw new Error('A response comes with its event.');
    if (fault === 'lose-answer') {
      for await (const _ of answered);
      incoming.socket.destroy();
      return;
    }
    answer.writeHead(answered.statusCode ?? 0, answered.headers);
    if (fault !== 'cut-answer') {
      answered.pipe(answer);
      return;
    }
    for await (const chunk of answered) {
      answer.write(chunk, () => incoming.socket.destroy());
      return;
    }
  }
}
