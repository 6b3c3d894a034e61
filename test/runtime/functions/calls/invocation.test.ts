import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { ContainerId } from '../../../../runtime/contracts/ids.ts';
import type { WorkerAnswer } from '../../../../runtime/functions/calls/invocation.ts';
import type { FunctionDefinition } from '../../../../runtime/functions/definitions/function-definition.ts';
import { IDLE_PATH } from '../../../../runtime/functions/pool/worker-probe.ts';
import { CallParts, definitionOf, never } from './call-parts.ts';

type Program = (request: IncomingMessage, response: ServerResponse, worker: ContainerId) => void;

describe('a call of a function', () => {
  let parts: CallParts;
  /** Every call that a worker saw. */
  let seen: ContainerId[];
  let idle: boolean;

  function start(program: Program, definition?: FunctionDefinition): void {
    seen = [];
    idle = true;
    const listener =
      (worker: ContainerId): RequestListener =>
      (request, response) => {
        if (request.url === IDLE_PATH) return void response.writeHead(idle ? 200 : 503).end();
        seen.push(worker);
        program(request, response, worker);
      };
    parts = new CallParts(listener, definition);
  }
  afterEach(() => parts[Symbol.asyncDispose]());

  /** Calls it, and tells what came of it. */
  async function call({ body, client = never }: { body?: Readable; client?: AbortSignal } = {}) {
    let answer: { status: number; worker: string; body: string } | undefined;
    const framing = body === undefined ? ['Content-Length', '0'] : ['Transfer-Encoding', 'chunked'];
    const request = {
      of: definitionOf().of,
      headers: ['Host', 'function', ...framing],
      body,
      client,
    };
    const respond = ({ status, worker }: WorkerAnswer) => {
      const passed = { status, worker, body: '' };
      answer = passed;
      return {
        write(bytes: Buffer) {
          passed.body += bytes.toString();
          return true;
        },
        cut() {
          passed.body = 'cut short';
        },
      };
    };
    const error = await parts.invocations.invoke(request, respond).then(
      () => undefined,
      (reason) => reason.code ?? reason.message,
    );
    return { ...answer, error };
  }
  const hello: Program = (request, response) => {
    request.resume();
    response.end('hello');
  };

  it('is answered by one worker after the other, on one connection', async () => {
    const ports = new Set<number | undefined>();
    start((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('hello');
    });
    const [first, second] = [await call(), await call()];
    expect(first).toMatchObject({ status: 200, body: 'hello', error: undefined });
    expect(second.worker).toBe(first.worker);
    expect(ports.size).toBe(1);
    expect(parts.outcomes).toEqual(['answered', 'answered']);
  });

  it('goes to another worker where the connection could not be opened, and is made once', async () => {
    start(hello, definitionOf({ scaling: { maxCapacity: 2 } }));
    const { worker } = await call();
    await parts.backend.kill(worker as ContainerId);
    parts.connections.forget(worker as ContainerId);

    const next = await call();
    expect(next).toMatchObject({ status: 200, body: 'hello' });
    expect(next.worker).not.toBe(worker);
    expect(seen).toEqual([worker, next.worker]);
    await expect.poll(() => parts.backend.running).toEqual([next.worker]);
  });

  it('is not made again where the connection broke under it', async () => {
    start((request) => request.socket.destroy());
    expect(await call()).toEqual({ error: 'WORKER_FAILED' });
    expect(seen.length).toBe(1);
    await expect.poll(() => parts.backend.running).toEqual([]);
  });

  it('ends in time, before its answer and within it, and the worker with it', async () => {
    const short = definitionOf({ timeoutSeconds: 0.1 });
    start(() => {}, short);
    expect(await call()).toEqual({ error: 'INVOKE_TIMEOUT' });
    await expect.poll(() => parts.backend.running).toEqual([]);
    await parts[Symbol.asyncDispose]();

    start((_, response) => void response.write('some'), short);
    expect(await call()).toMatchObject({ status: 200, body: 'cut short', error: undefined });
    expect(parts.outcomes).toEqual(['timeout']);
    await expect.poll(() => parts.backend.running).toEqual([]);
  });

  it('is broken off when its caller goes, and its worker used again once it is idle', async () => {
    const gone = new AbortController();
    let cut = false;
    start((request, response) => {
      if (gone.signal.aborted) return void response.end('hello');
      idle = false;
      request.socket.once('close', () => {
        cut = true;
        setTimeout(() => {
          idle = true;
        }, 50);
      });
      gone.abort(new Error('gone'));
    });
    expect(await call({ client: gone.signal })).toEqual({ error: 'gone' });
    const next = await call();
    expect(cut).toBe(true);
    expect(next).toMatchObject({ body: 'hello', worker: seen[0] });
    expect(parts.outcomes).toEqual(['cancelled', 'answered']);
  });

  it('ends a worker that does not come to rest when its caller has gone', async () => {
    const gone = new AbortController();
    start(() => {
      idle = false;
      gone.abort(new Error('gone'));
    });
    await call({ client: gone.signal });
    await expect.poll(() => parts.backend.running, { timeout: 5_000 }).toEqual([]);
  });

  it('passes a body that breaks off on as one that broke off', async () => {
    const body = new PassThrough();
    const read = Promise.withResolvers<string>();
    start((request) => {
      request.once('data', () => body.destroy(new Error('gone')));
      text(request).then(read.resolve, () => read.resolve('broken off'));
    });
    body.write('half');
    expect(await call({ body })).toEqual({ error: 'the body broke off' });
    expect(await read.promise).toBe('broken off');
    expect(parts.outcomes).toEqual(['cancelled']);
  });

  it('takes an answer that comes before the body is read, and sends the rest of it to nobody', async () => {
    const body = new PassThrough();
    const closed = Promise.withResolvers<void>();
    start((request, response) => {
      request.socket.once('close', closed.resolve);
      response.end('enough');
    });
    body.write('half');
    expect(await call({ body })).toMatchObject({ status: 200, body: 'enough' });
    await closed.promise;
    body.end('the rest');
    await expect.poll(() => parts.states()).toEqual(['idle']);
    expect(await call({ body: Readable.from([]) })).toMatchObject({ worker: seen[0] });
  });

  it('fails where its answer breaks off, or can not be passed on', async () => {
    start((_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('some', () => response.destroy());
    });
    expect(await call()).toMatchObject({ status: 200, body: 'cut short' });
    expect(parts.outcomes).toEqual(['worker_failed']);
    await parts[Symbol.asyncDispose]();

    start(hello);
    const { invocations } = parts;
    const request = { of: definitionOf().of, headers: ['Host', 'function'], body: undefined, client: never };
    const refused = invocations.invoke(request, () => {
      throw new RangeError('no such status');
    });
    await expect(refused).rejects.toMatchObject({ code: 'WORKER_FAILED' });
    await expect.poll(() => parts.backend.running).toEqual([]);
  });

  it('is not tried while the last ones failed', async () => {
    start((request) => request.socket.destroy());
    const errors: unknown[] = [];
    for (let index = 0; index < 6; index += 1) errors.push((await call()).error);
    expect(errors).toEqual([...Array(5).fill('WORKER_FAILED'), 'FUNCTION_UNAVAILABLE']);
    expect(seen.length).toBe(5);
  });

  it('is of a function that there is', async () => {
    start(hello);
    parts.definition = undefined;
    expect(await call()).toEqual({ error: 'FUNCTION_NOT_FOUND' });
  });
});
