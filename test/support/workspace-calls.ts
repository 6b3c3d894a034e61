import { once } from 'node:events';
import { expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { RuntimeProcess } from './runtime-process.ts';

export interface ShownWorkspace {
  id: string;
  observed_status: string;
  desired_state: string;
  operation: string;
  archived: boolean;
  error: { code: string; message: string; count: number; terminal: boolean } | null;
  url: string;
}

/** What a user does with a workspace that runs the editor, over the API and the proxy. */
export class WorkspaceCalls {
  readonly runtime: RuntimeProcess;
  readonly id: string;

  constructor(runtime: RuntimeProcess, id: string) {
    this.runtime = runtime;
    this.id = id;
  }

  static async make(
    runtime: RuntimeProcess,
    id: string,
    words: Record<string, unknown> = {},
  ): Promise<WorkspaceCalls> {
    const answer = await runtime.post('/v1/workspaces', { id, ...words });
    if (answer.status !== 201) throw new Error(`${id} was not made: ${await answer.text()}`);
    return new WorkspaceCalls(runtime, id);
  }

  /** The same workspace, at another instance. */
  at(runtime: RuntimeProcess): WorkspaceCalls {
    return new WorkspaceCalls(runtime, this.id);
  }

  async look(): Promise<ShownWorkspace> {
    const answer = await this.runtime.fetch(`/v1/workspaces/${this.id}`);
    if (answer.status !== 200) throw new Error(`${this.id}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as ShownWorkspace;
  }

  async want(desired_state: string): Promise<void> {
    await this.change({ desired_state });
  }

  async change(words: Record<string, unknown>): Promise<Response> {
    const answer = await this.runtime.fetch(`/v1/workspaces/${this.id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(words),
    });
    expect(answer.status).toBe(200);
    return answer;
  }

  retry(): Promise<Response> {
    return this.runtime.post(`/v1/workspaces/${this.id}/retry`, {});
  }

  delete(): Promise<Response> {
    return this.runtime.fetch(`/v1/workspaces/${this.id}`, { method: 'DELETE' });
  }

  /** Until nothing is being done about it and it looks like this. */
  async settles(as: Partial<ShownWorkspace>, seconds = 120): Promise<ShownWorkspace> {
    return vi.waitFor(
      async () => {
        const seen = await this.look();
        expect(seen, JSON.stringify(seen.error)).toMatchObject({ operation: 'NONE', ...as });
        return seen;
      },
      { timeout: seconds * 1000, interval: 100 },
    );
  }

  /** Until what was being done about it has failed like this. */
  async fails(
    as: { code: string; count?: number; terminal: boolean; message?: unknown },
    seconds = 120,
  ): Promise<void> {
    await vi.waitFor(
      async () =>
        expect(await this.look()).toMatchObject({
          operation: 'NONE',
          error: as,
          ...(as.terminal ? { observed_status: 'ERROR' } : {}),
        }),
      { timeout: seconds * 1000, interval: 100 },
    );
  }

  async gone(seconds = 60): Promise<void> {
    await vi.waitFor(
      async () => expect((await this.runtime.fetch(`/v1/workspaces/${this.id}`)).status).toBe(404),
      { timeout: seconds * 1000, interval: 100 },
    );
  }

  /** Through the proxy, which wakes it. */
  visit(path = '/', init: RequestInit = {}): Promise<Response> {
    return this.runtime.fetch(`/w/${this.id}${path}`, init);
  }

  /** The editor's own WebSocket, which stays open for as long as nobody closes it. */
  async socket(): Promise<WebSocket> {
    const headers = { authorization: `Bearer ${this.runtime.developmentKey}` };
    const address = `${this.runtime.url.replace('http', 'ws')}/w/${this.id}/api/watch`;
    const socket = new WebSocket(address, { headers });
    await once(socket, 'open');
    return socket;
  }

  async write(path: string, content: string): Promise<void> {
    const answer = await this.visit(`/api/file?path=${encodeURIComponent(path)}`, {
      method: 'PUT',
      headers: { 'if-none-match': '*' },
      body: content,
    });
    if (!answer.ok) throw new Error(`writing ${path}: ${answer.status} ${await answer.text()}`);
  }

  async read(path: string): Promise<string> {
    const answer = await this.visit(`/api/file?path=${encodeURIComponent(path)}`);
    if (!answer.ok) throw new Error(`reading ${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  }
}
