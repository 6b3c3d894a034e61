import type { RuntimeProcess } from './runtime-process.ts';

export interface Called {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of any shape
  json: any;
  worker: string | null;
  cold: boolean;
}

/** A call that lasts until it is let go: its worker waits for the rest of what it is asked. */
export interface HeldCall {
  answer: Promise<Called>;
  letGo(): Promise<void>;
}

/** A function of a runtime, as its user has it. */
export class FunctionCalls {
  readonly name: string;
  readonly #runtime: RuntimeProcess;

  constructor(runtime: RuntimeProcess, name: string) {
    this.#runtime = runtime;
    this.name = name;
  }

  /** Defines it with a handler of this source. */
  static async define(
    runtime: RuntimeProcess,
    name: string,
    source: string,
    more: Record<string, unknown> = {},
  ): Promise<FunctionCalls> {
    const made = new FunctionCalls(runtime, name);
    const runs = 'task_definition' in more ? {} : { image: 'function-node' };
    const answer = await made.put({ ...runs, env: { HANDLER_SOURCE: source }, ...more });
    if (!answer.ok) throw new Error(`PUT answered ${answer.status}: ${await answer.text()}`);
    return made;
  }

  /** The same function, at another instance. */
  at(runtime: RuntimeProcess): FunctionCalls {
    return new FunctionCalls(runtime, this.name);
  }

  put(body: Record<string, unknown>): Promise<Response> {
    return this.#runtime.fetch(`/v1/functions/${this.name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  get(): Promise<Response> {
    return this.#runtime.fetch(`/v1/functions/${this.name}`);
  }

  delete(): Promise<Response> {
    return this.#runtime.fetch(`/v1/functions/${this.name}`, { method: 'DELETE' });
  }

  fetch(init: RequestInit = {}): Promise<Response> {
    return this.#runtime.fetch(`/v1/functions/${this.name}/invoke`, { method: 'POST', ...init });
  }

  async call(request: unknown = {}, init: RequestInit = {}): Promise<Called> {
    const headers = { 'content-type': 'application/json', ...init.headers };
    const answer = await this.fetch({ ...init, body: JSON.stringify(request), headers });
    return called(answer);
  }

  hold(request: unknown = {}): HeldCall {
    const { readable, writable } = new TransformStream<string, string>();
    const body = readable.pipeThrough(new TextEncoderStream());
    const writer = writable.getWriter();
    // The head of a request leaves with the first of its body.
    void writer.write(' ').catch(() => {});
    const headers = { 'content-type': 'application/json' };
    const answer = this.fetch({ body, headers, duplex: 'half' }).then(called);
    return {
      answer,
      async letGo() {
        await writer.write(JSON.stringify(request));
        await writer.close();
      },
    };
  }

  /** Its workers by state, as operators see them. */
  async pool(): Promise<Record<string, number>> {
    const answer = await this.#runtime.fetch('/metrics/pools');
    const { pools } = (await answer.json()) as {
      pools: ({ function_name: string } & Record<string, number>)[];
    };
    return pools.find(({ function_name }) => function_name === this.name) ?? {};
  }
}

async function called(answer: Response): Promise<Called> {
  return {
    status: answer.status,
    json: await answer.json().catch(() => undefined),
    worker: answer.headers.get('x-berth-worker'),
    cold: answer.headers.get('x-berth-cold-start') === 'true',
  };
}
