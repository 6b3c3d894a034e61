import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from '../../../runtime/agent-client/agent-client.ts';
import type { FileEntry, FileManifest } from '../../../runtime/contracts/agent-protocol.ts';

type Body = string | Buffer | ((response: ServerResponse, request: IncomingMessage) => void);

/** Whatever user code may put in the agent's place: it lists what it is told to, and gives what it is told to. */
export class FakeAgent {
  readonly client: AgentClient;
  readonly #server: Server;
  readonly #folder: string;
  listing: FileManifest = { files: [], skipped: [], truncated: false };
  bodies = new Map<string, Body>();
  requests: string[] = [];
  /** What becomes of a file that is written to it. */
  onWrite: (request: IncomingMessage, response: ServerResponse) => void = (request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  };

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
    this.client = new AgentClient({ kind: 'socket', path: join(folder, 'agent.sock') }, 'token');
    server.on('request', (request, response) => this.#answer(request, response));
  }

  static async start(): Promise<FakeAgent> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-fake-agent-'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'agent.sock'), resolve));
    return new FakeAgent(server, folder);
  }

  /** Lists a file, truthfully unless told otherwise, and gives its content. */
  add(path: string, content: string | Buffer, lie: Partial<FileEntry> = {}, body: Body = content): void {
    this.listing.files.push({ ...entryOf(path, content), ...lie });
    this.bodies.set(path, body);
  }

  connections(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_error, count) => resolve(count)));
  }

  stop(): void {
    this.client.close();
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.#folder, { recursive: true });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = '' } = request;
    const path = decodeURIComponent(url.split('?')[0] ?? '').slice('/files/'.length);
    this.requests.push(`${method} ${path}`);
    if (method === 'PUT') this.onWrite(request, response);
    else if (path === '') response.end(JSON.stringify(this.listing));
    else this.#give(this.bodies.get(path), request, response);
  }

  #give(body: Body | undefined, request: IncomingMessage, response: ServerResponse): void {
    if (typeof body === 'function') {
      body(response, request);
    } else if (body === undefined) {
      response.writeHead(404).end(JSON.stringify({ code: 'FILE_NOT_FOUND', message: 'none' }));
    } else {
      response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body);
    }
  }
}

export const sha256 = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');

export function entryOf(path: string, content: string | Buffer): FileEntry {
  return {
    path,
    size: Buffer.byteLength(content),
    sha256: sha256(content),
    mode: 0o644,
    modified_at: '2026-01-01T00:00:00.000Z',
  };
}
