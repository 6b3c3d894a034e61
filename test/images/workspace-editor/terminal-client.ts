import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningEditor } from './running-editor.ts';

/** An editor, wherever it runs. */
type Reachable = Pick<RunningEditor, 'port' | 'ask'>;

/** What a page does with a terminal: types, keeps what is shown, and tells that it has drawn it. */
export class TerminalClient {
  readonly socket: WebSocket;
  shown = '';
  bytes = 0;
  past = 0;
  exitCode: number | undefined;
  closed: { code: number; reason: string } | undefined;
  /** A page that is asleep draws nothing. */
  draws = true;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#show(data);
      else {
        const { past, exitCode } = JSON.parse(data.toString());
        this.past = past ?? this.past;
        this.exitCode = exitCode ?? this.exitCode;
      }
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
  }

  static async open(editor: Reachable, size: Record<string, string> = {}): Promise<[TerminalClient, string]> {
    const { id } = await editor.ask('POST', 'terminals', size);
    return [await TerminalClient.attach(editor, id), id];
  }

  static async attach(editor: Reachable, id: string): Promise<TerminalClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${editor.port}/api/terminal?id=${id}`);
    onTestFinished(() => socket.terminate());
    const client = new TerminalClient(socket);
    await once(socket, 'open');
    return client;
  }

  #show(data: Buffer): void {
    this.bytes += data.length;
    this.shown = (this.shown + data.toString()).slice(-100_000);
    if (this.draws) this.socket.send(JSON.stringify({ drawn: data.length }));
  }

  type(text: string): void {
    this.socket.send(Buffer.from(text));
  }

  resize(rows: number, columns: number): void {
    this.socket.send(JSON.stringify({ rows, columns }));
  }

  async sees(what: string | RegExp, timeout = 10_000): Promise<void> {
    const expected = typeof what === 'string' ? expect.stringContaining(what) : expect.stringMatching(what);
    await expect.poll(() => this.shown, { timeout, interval: 20 }).toEqual(expected);
  }
}
