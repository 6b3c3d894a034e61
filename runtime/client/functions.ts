import type { Function as FunctionRecord, FunctionRequest } from './api.ts';
import type { Caller, CallOptions, Content } from './wire/caller.ts';
import { pages } from './wire/pages.ts';

export interface InvokeOptions extends CallOptions {
  headers?: Record<string, string>;
}

/** Handlers and images whose workers are used again. */
export class Functions {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Defines it, as a whole: what is not said is as by default. */
  put(name: string, definition: FunctionRequest, options: CallOptions = {}): Promise<FunctionRecord> {
    return this.#caller.json('PUT /v1/functions/{name}', { params: { name }, json: definition, ...options });
  }

  get(name: string, options: CallOptions = {}): Promise<FunctionRecord> {
    return this.#caller.json('GET /v1/functions/{name}', { params: { name }, ...options });
  }

  list({ signal }: CallOptions = {}): AsyncGenerator<FunctionRecord, void, undefined> {
    return pages(async (cursor) => {
      const page = await this.#caller.json('GET /v1/functions', { query: { cursor }, signal });
      return { items: page.functions, next: page.next_cursor };
    });
  }

  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.#caller.remove('DELETE /v1/functions/{name}', { params: { name }, ...options });
  }

  /**
   * Calls it, once, and gives the worker's own answer, whatever its status; throws where no worker answered. Text,
   * bytes, blobs and streams are sent as they are, anything else as JSON.
   */
  invoke(name: string, input?: unknown, { headers = {}, signal }: InvokeOptions = {}): Promise<Response> {
    const asItIs = input === undefined || isContent(input);
    return this.#caller.answer('POST /v1/functions/{name}/invoke', {
      params: { name },
      content: asItIs ? input : JSON.stringify(input),
      headers: { ...(asItIs ? {} : { 'content-type': 'application/json' }), ...headers },
      signal,
      also: (answer) => answer.headers.has('x-berth-worker'),
    });
  }
}

function isContent(input: unknown): input is Content {
  return (
    typeof input === 'string' ||
    [Uint8Array, ArrayBuffer, Blob, ReadableStream].some((kind) => input instanceof kind)
  );
}
