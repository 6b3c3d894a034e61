import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect } from 'vitest';

type Block =
  | { type: 'text'; pieces: string[] }
  | { type: 'thinking'; pieces: string[]; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: object };

/** What the model does with one request. */
export type Turn = Answer | Refusal;

interface Answer {
  blocks: Block[];
  stop: string;
  cutOff?: boolean;
}

interface Refusal {
  status: number;
  message: string;
  retryAfter?: string;
}

/** A request as the runner sent it; tests look at what they expect of it. */
export type ModelRequest = ReturnType<typeof JSON.parse>;

/** Stands in for the Messages API: answers from a script, and fails what the API would not take. */
export class ScriptedModel {
  url = '';
  readonly requests: ModelRequest[] = [];
  /** What was wrong with a request, for the test to find none of. */
  readonly complaints: unknown[] = [];
  readonly #turns: Turn[];
  readonly #server: Server;

  private constructor(turns: Turn[]) {
    this.#turns = [...turns];
    this.#server = createServer((req, res) => void this.#answer(req, res));
  }

  static async start(...turns: Turn[]): Promise<ScriptedModel> {
    const model = new ScriptedModel(turns);
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    const { port } = model.#server.address() as AddressInfo; // it listens on a port
    model.url = `http://127.0.0.1:${port}`;
    return model;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      const body: ModelRequest = await json(req);
      this.requests.push(body);
      expect([req.method, req.url]).toEqual(['POST', '/v1/messages']);
      expect(req.headers).toMatchObject({
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'x-api-key': 'a-key',
      });
      checkRequest(body);
      const turn = this.#turns.shift();
      if (!turn) throw new Error('the script has no more turns');
      if ('status' in turn) refuse(res, turn);
      else stream(res, turn);
    } catch (error) {
      this.complaints.push(error);
      refuse(res, { status: 400, message: `complaint: ${error}` });
    }
  }
}

/** The rules of the API that a loop with tools can break. */
function checkRequest(body: ModelRequest): void {
  const known = ['model', 'max_tokens', 'stream', 'system', 'messages', 'tools'];
  expect(Object.keys(body).filter((name) => !known.includes(name))).toEqual([]);
  expect(body).toMatchObject({ model: expect.any(String), max_tokens: expect.any(Number), stream: true });
  const roles = body.messages.map(({ role }: { role: string }) => role);
  expect(roles).toEqual(roles.map((_: string, index: number) => (index % 2 === 0 ? 'user' : 'assistant')));
  expect(roles.at(-1)).toBe('user');
  for (const [index, { role, content }] of body.messages.entries()) {
    if (role === 'user') continue;
    const used = content.filter(({ type }: Block) => type === 'tool_use').map(({ id }: { id: string }) => id);
    const results = body.messages[index + 1].content;
    expect(results.map(({ tool_use_id }: { tool_use_id: string }) => tool_use_id)).toEqual(used);
    for (const result of results) {
      expect(result).toEqual({
        type: 'tool_result',
        tool_use_id: expect.any(String),
        content: expect.any(String),
        is_error: expect.any(Boolean),
      });
    }
  }
}

function refuse(res: ServerResponse, { status, message, retryAfter }: Refusal): void {
  res.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
  });
  res.end(JSON.stringify({ type: 'error', error: { type: 'an_error', message } }));
}

function stream(res: ServerResponse, { blocks, stop, cutOff }: Answer): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event: { type: string; [field: string]: unknown }) =>
    res.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  send({
    type: 'message_start',
    message: { role: 'assistant', content: [], usage: { input_tokens: 10, output_tokens: 1 } },
  });
  send({ type: 'ping' });
  for (const [index, block] of blocks.entries()) {
    send({ type: 'content_block_start', index, content_block: startOf(block) });
    for (const delta of deltasOf(block)) send({ type: 'content_block_delta', index, delta });
    send({ type: 'content_block_stop', index });
  }
  if (cutOff) {
    res.end();
    return;
  }
  send({ type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 5 } });
  send({ type: 'message_stop' });
  res.end();
}

function startOf(block: Block): object {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return { ...block, input: {} };
}

function deltasOf(block: Block): object[] {
  if (block.type === 'text') return block.pieces.map((text) => ({ type: 'text_delta', text }));
  if (block.type === 'thinking') {
    const thoughts = block.pieces.map((thinking) => ({ type: 'thinking_delta', thinking }));
    return [...thoughts, { type: 'signature_delta', signature: block.signature }];
  }
  const input = JSON.stringify(block.input);
  const half = Math.floor(input.length / 2);
  return [input.slice(0, half), input.slice(half)].map((partial_json) => ({
    type: 'input_json_delta',
    partial_json,
  }));
}
