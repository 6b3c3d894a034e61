import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecuteRequest, ExecutionEvent } from '../../../../runtime/contracts/agent-protocol.ts';
import { readEventData } from './event-data.ts';
import type { Message, Reply, ReplyEvent, Tool } from './message-types.ts';
import { ReplyBuilder } from './reply-builder.ts';
import { RunnerError } from './runner-error.ts';

const MAX_TOKENS = 8192;
const ATTEMPTS = 3;
const MAX_WAIT_SECONDS = 30;

/** A model behind the Messages API, as the environment and the request name it. */
export class MessagesApi {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #fixed: object;

  constructor(env: Record<string, string | undefined>, request: ExecuteRequest) {
    const model = request.model ?? env.ANTHROPIC_MODEL;
    if (!model) throw new RunnerError('execution_error', 'no model: name one, or set ANTHROPIC_MODEL');
    this.#url = `${(env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com').replace(/\/+$/, '')}/v1/messages`;
    this.#headers = {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      // A gateway may have the key, and the container none.
      ...(env.ANTHROPIC_API_KEY && { 'x-api-key': env.ANTHROPIC_API_KEY }),
    };
    this.#fixed = {
      model,
      max_tokens: MAX_TOKENS,
      stream: true,
      ...(request.system_prompt && { system: request.system_prompt }),
    };
  }

  /** Asks for the next reply, saying what comes of it as it comes. */
  async ask(messages: Message[], tools: Tool[], say: (event: ExecutionEvent) => void): Promise<Reply> {
    const response = await this.#post({ ...this.#fixed, messages, ...(tools.length > 0 && { tools }) });
    const reply = new ReplyBuilder(say);
    // The cast: who answers at this address is trusted to speak its own API.
    for await (const data of readEventData(response)) reply.take(JSON.parse(data) as ReplyEvent);
    return reply.end();
  }

  /** A model that is busy is asked again. */
  async #post(body: object): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#fetch(body);
      if (response.ok) return response;
      const message = await errorMessage(response);
      const busy = response.status === 429 || response.status >= 500;
      if (!busy) throw refusal(response.status, message);
      if (attempt === ATTEMPTS)
        throw new RunnerError('execution_error', `the model is busy: ${message}`, true);
      const seconds = Number(response.headers.get('retry-after') ?? 2 ** attempt);
      await sleep(Math.min(seconds, MAX_WAIT_SECONDS) * 1000);
    }
  }

  async #fetch(body: object): Promise<Response> {
    try {
      return await fetch(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body: JSON.stringify(body),
      });
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      throw new RunnerError('execution_error', `the model can't be reached: ${cause}`, true);
    }
  }
}

async function errorMessage(response: Response): Promise<string> {
  const body = await response.text();
  try {
    return String(JSON.parse(body).error.message);
  } catch {
    return `${response.status} ${body.slice(0, 200)}`;
  }
}

function refusal(status: number, message: string): RunnerError {
  const tooLong = status === 413 || /prompt is too long|context (window|limit|length)/i.test(message);
  return tooLong
    ? new RunnerError('context_limit_exceeded', message)
    : new RunnerError('execution_error', `the model refused the request: ${message}`);
}
