/** Who looks at a terminal: a page, over its WebSocket. */
export interface ViewerConnection {
  /** What was shown before: the page must not answer the questions in it. */
  sendPast(shown: Buffer): void;
  sendOutput(chunk: Buffer): void;
  sendExit(code: number): void;
  close(reason: string): void;
}

/** A viewer, and how many bytes it has been sent and has not drawn yet. */
export class Viewer {
  readonly connection: ViewerConnection;
  #pending: number;
  #heardAt: number;

  constructor(connection: ViewerConnection, past: Buffer, now: number) {
    this.connection = connection;
    this.#heardAt = now;
    this.#pending = past.length;
    connection.sendPast(past);
  }

  get pending(): number {
    return this.#pending;
  }

  send(chunk: Buffer): void {
    this.#pending += chunk.length;
    this.connection.sendOutput(chunk);
  }

  /** The page has drawn so many bytes. */
  drawn(bytes: number, now: number): void {
    this.#pending = Math.max(0, this.#pending - bytes);
    this.#heardAt = now;
  }

  silentFor(now: number): number {
    return now - this.#heardAt;
  }
}
