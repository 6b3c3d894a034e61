import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import type { ContainerBackend } from '../../../../runtime/containers/container-backend.ts';
import type { ContainerId } from '../../../../runtime/contracts/ids.ts';

export const APP_PORT = 8080;

/** The test program in a container, called as the runtime's proxy would: with Node's own client at its endpoint. */
export class TestApp {
  readonly #backend: ContainerBackend;
  readonly #id: ContainerId;

  constructor(backend: ContainerBackend, id: ContainerId) {
    this.#backend = backend;
    this.#id = id;
  }

  /** Resolves once the program listens. */
  async untilItListens(): Promise<void> {
    await vi.waitFor(() => this.call('/'), { timeout: 20_000, interval: 20 });
  }

  env(): Promise<Record<string, string>> {
    return this.call('/env').then(JSON.parse);
  }

  /** What the script printed; a failed test when it failed. */
  async bash(script: string): Promise<string> {
    const { stdout, stderr, status } = JSON.parse(await this.call('/bash', script));
    if (status !== 0) throw new Error(`exit code ${status}: ${stderr}`);
    return stdout.trim();
  }

  /** What the program meets when it connects there. */
  connect(host: string, port: number): Promise<string> {
    return this.call('/connect', JSON.stringify({ host, port }));
  }

  async exit(code: number): Promise<void> {
    await this.call('/exit', String(code)).catch(() => {}); // it ends before it answers
  }

  async call(path: string, body?: string, within = 10_000): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const endpoint = await this.#backend.endpoint(this.#id, APP_PORT);
    const outgoing = request({
      ...(endpoint.kind === 'socket' ? { socketPath: endpoint.path } : endpoint),
      method: body === undefined ? 'GET' : 'POST',
      path,
      agent: false,
      signal: AbortSignal.timeout(within),
    });
    outgoing.on('error', reject);
    outgoing.on('response', (answer) => text(answer).then(resolve, reject));
    outgoing.end(body);
    return promise;
  }
}
