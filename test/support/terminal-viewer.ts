import { expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { RuntimeProcess } from './runtime-process.ts';

/** Long, for machines with much else to do. */
export const PATIENCE = { timeout: 60_000, interval: 20 };

export interface ViewerOptions {
  after?: number;
  headers?: Record<string, string>;
  protocols?: string[];
}

/** Somebody who looks at a terminal over a plain WebSocket, and keeps all they get. */
export class TestViewer {
  readonly socket: WebSocket;
  /** What came as text. */
  readonly told: Record<string, unknown>[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #chunks: Buffer[] = [];
  #bytes = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#chunks.push(data);
      else this.told.push(JSON.parse(data.toString()));
      if (isBinary) this.#bytes += data.length;
    });
    socket.on('error', () => {});
    this.closed = new Promise((resolve) =>
      socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
    );
  }

  /** Opens one of a terminal; with the development key unless its headers or protocols say otherwise. */
  static async open(runtime: RuntimeProcess, path: string, options: ViewerOptions = {}): Promise<TestViewer> {
    const opened = await TestViewer.try(runtime, path, options);
    if ('viewer' in opened) return opened.viewer;
    throw new Error(`the terminal was refused: ${JSON.stringify(opened)}`);
  }

  static async try(
    runtime: RuntimeProcess,
    path: string,
    { after, headers, protocols = [] }: ViewerOptions = {},
  ): Promise<{ viewer: TestViewer } | { status: number; problem: Record<string, unknown> }> {
    const query = after === undefined ? '' : `?after=${after}`;
    const own = headers ?? { authorization: `Bearer ${runtime.developmentKey}` };
    const address = `${runtime.url.replace('http', 'ws')}${path}/socket${query}`;
    const socket = new WebSocket(address, protocols, { headers: own, perMessageDeflate: false });
    const viewer = new TestViewer(socket);
    const { promise, resolve, reject } = Promise.withResolvers<
      { viewer: TestViewer } | { status: number; problem: Record<string, unknown> }
    >();
    socket.once('open', () => resolve({ viewer }));
    socket.once('error', reject);
    socket.once('unexpected-response', async (_request, response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, problem: JSON.parse(text) });
    });
    return promise;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString();
  }

  /** How many bytes have come. */
  get received(): number {
    return this.#bytes;
  }

  /** From now on only counted. */
  keepNothing(): void {
    this.socket.on('message', () => {
      this.#chunks = [];
    });
  }

  type(text: string | Buffer): void {
    this.socket.send(Buffer.from(text));
  }

  say(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Until the terminal has shown this. */
  async sees(what: RegExp): Promise<void> {
    await vi.waitFor(() => expect(this.text).toMatch(what), PATIENCE);
  }

  async hears(message: Record<string, unknown>): Promise<void> {
    await vi.waitFor(() => expect(this.told.at(-1)).toEqual(message), PATIENCE);
  }
}

/** Makes a terminal and gives where it is. */
export async function openTerminal(
  runtime: RuntimeProcess,
  conversation: string,
  request: Record<string, unknown> = {},
): Promise<string> {
  const answer = await runtime.post(`/v1/conversations/${conversation}/terminals`, request);
  const made = (await answer.json()) as Record<string, string>;
  if (answer.status !== 201) throw new Error(`no terminal: ${JSON.stringify(made)}`);
  return `/v1/conversations/${conversation}/terminals/${made.terminal_id}`;
}
