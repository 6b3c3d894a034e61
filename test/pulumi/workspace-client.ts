import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { must } from '../support/must.ts';

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Visit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** A workspace of a platform, for whoever has the URL and the key that `pulumi up` printed. */
export class WorkspaceClient {
  readonly id: string;
  readonly #url: string;
  readonly #authorization: string;

  constructor(outputs: Record<string, string>, id: string) {
    this.id = id;
    this.#url = must(outputs.url);
    this.#authorization = `Bearer ${must(outputs.apiKey)}`;
  }

  /** Resolves with where it is. */
  async make(desired_state = 'RUNNING'): Promise<string> {
    const { url } = await this.#call('', 'POST', { id: this.id, desired_state });
    return must(url);
  }

  async want(desired_state: string): Promise<void> {
    await this.#call(`/${this.id}`, 'PATCH', { desired_state });
  }

  async becomes(observed_status: string): Promise<void> {
    await expect
      .poll(() => this.#call(`/${this.id}`), { timeout: 180_000, interval: 200 })
      .toMatchObject({ operation: 'NONE', observed_status });
  }

  /** For a browser. */
  async link(): Promise<string> {
    return must((await this.#call(`/${this.id}/sessions`, 'POST', {})).url);
  }

  /** Goes where a browser would: every name below `localhost` is this machine. */
  visit(url: string, { method = 'GET', headers = {}, body }: Visit = {}): Promise<Answer> {
    const { host, port, pathname, search } = new URL(url);
    return new Promise((resolve, reject) => {
      const asked = request(
        { host: '127.0.0.1', port, path: pathname + search, method, headers: { ...headers, host } },
        async (answer) => {
          const { statusCode: status, headers } = answer;
          text(answer).then((body) => resolve({ status, headers, body }), reject);
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  }

  /** With the key, through the editor. */
  async write(url: string, path: string, content: string): Promise<void> {
    const headers = { authorization: this.#authorization, 'if-none-match': '*' };
    const answer = await this.visit(`${url}api/file?path=${path}`, { method: 'PUT', headers, body: content });
    if (answer.status === undefined || answer.status >= 300)
      throw new Error(`${answer.status}: ${answer.body}`);
  }

  async read(url: string, path: string): Promise<string> {
    const headers = { authorization: this.#authorization };
    return (await this.visit(`${url}api/file?path=${path}`, { headers })).body;
  }

  async #call(path: string, method = 'GET', words?: object): Promise<Record<string, string>> {
    const answer = await fetch(`${this.#url}/v1/workspaces${path}`, {
      method,
      headers: { authorization: this.#authorization, 'content-type': 'application/json' },
      ...(words && { body: JSON.stringify(words) }),
    });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>; // what is read of it are texts
  }
}
