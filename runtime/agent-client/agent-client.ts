import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import type {
  AgentHealth,
  AssignRequest,
  ExecEvent,
  ExecRequest,
  ExecResult,
  ExecuteRequest,
  FileChange,
  FileManifest,
  TerminalRequest,
  TerminalView,
} from '../contracts/agent-protocol.ts';
import { BerthError, type ErrorCode } from '../contracts/errors.ts';
import type { TerminalId } from '../contracts/ids.ts';
import {
  execAnswer,
  execEvent,
  fileChange,
  healthAnswer,
  manifestAnswer,
  problemAnswer,
  terminalAnswer,
  terminalsAnswer,
} from './agent-answers.ts';
import { type AgentCall, AgentConnection, type AgentPlace } from './agent-connection.ts';
import { AgentMisbehaved, AgentUnreachable, ExecutionForgotten, RouteMissing } from './agent-failures.ts';
import { agentBytes, parseJson, readBounded, readEvents } from './bounded-reading.ts';
import { type AgentEvent, executionEvents } from './execution-events.ts';
import { openTerminalLine, type TerminalLine } from './terminal-line.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const HEALTH_BYTES = 4 * KiB;
const HEALTH_MS = 1000;
const PROBLEM_BYTES = 64 * KiB;
/** Three texts of 1 MiB each, where every byte may be escaped as six. */
const EXEC_BYTES = 20 * MiB;
const LINE_BYTES = MiB;
const MANIFEST_BYTES = 16 * MiB;
/** Sixteen of 32 KiB each, likewise escaped. */
const TERMINALS_BYTES = 4 * MiB;

/** What of the agent's refusals is the caller's own doing; any other is the agent's. */
const REFUSALS: Partial<Record<z.infer<typeof problemAnswer>['code'], ErrorCode>> = {
  INVALID_REQUEST: 'INVALID_REQUEST',
  COMMAND_NOT_FOUND: 'INVALID_REQUEST',
  EXECUTION_RUNNING: 'CONVERSATION_LOCKED',
  EXECUTION_NOT_FOUND: 'EXECUTION_NOT_FOUND',
  INVALID_PATH: 'INVALID_PATH',
  FILE_NOT_FOUND: 'FILE_NOT_FOUND',
  BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  DISK_FULL: 'DISK_FULL',
  NO_RESOURCES: 'SANDBOX_EXHAUSTED',
  TERMINAL_NOT_FOUND: 'TERMINAL_NOT_FOUND',
  TOO_MANY_TERMINALS: 'CAPACITY_EXCEEDED',
  NOT_SUPPORTED: 'NOT_SUPPORTED',
};

export interface CommandEnd {
  exitCode: number | null;
  timedOut: boolean;
}

export interface BinaryOutput {
  stdout: Readable;
  /** How it ended, known at once for short output. */
  ended: CommandEnd | undefined;
  /** How it ended, to be asked once `stdout` has ended. */
  end(): CommandEnd;
}

/**
 * Speaks to one container's agent and bounds what it may answer. Throws `AgentUnreachable` when it
 * doesn't answer, `AgentMisbehaved` when it breaks the protocol, `BerthError` for what it refuses.
 */
export class AgentClient {
  readonly #connection: AgentConnection;

  constructor(place: AgentPlace, token: string) {
    this.#connection = new AgentConnection(place, token);
  }

  async health(nonce: string): Promise<AgentHealth> {
    const signal = AbortSignal.timeout(HEALTH_MS);
    try {
      const answer = await this.#ok({
        method: 'GET',
        path: `/health?nonce=${encodeURIComponent(nonce)}`,
        signal,
      });
      return parseJson(await readBounded(answer, HEALTH_BYTES, signal), healthAnswer);
    } catch (error) {
      throw signal.aborted ? new AgentUnreachable(true, `no health within ${HEALTH_MS} ms`) : error;
    }
  }

  async assign(request: AssignRequest, signal: AbortSignal): Promise<void> {
    const answer = await this.#ok({ method: 'POST', path: '/assign', body: JSON.stringify(request), signal });
    await readBounded(answer, PROBLEM_BYTES, signal);
  }

  async exec(request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    const answer = await this.#ok({ method: 'POST', path: '/exec', body: JSON.stringify(request), signal });
    return parseJson(await readBounded(answer, EXEC_BYTES, signal), execAnswer);
  }

  async execStream(request: ExecRequest, signal: AbortSignal): Promise<AsyncGenerator<ExecEvent>> {
    const answer = await this.#ok({
      method: 'POST',
      path: '/exec',
      headers: { accept: 'text/event-stream' },
      body: JSON.stringify(request),
      signal,
    });
    return execEvents(answer, signal);
  }

  async execBinary(request: ExecRequest, signal: AbortSignal): Promise<BinaryOutput> {
    const answer = await this.#ok({
      method: 'POST',
      path: '/exec/binary',
      body: JSON.stringify(request),
      signal,
    });
    const early = answer.headers['x-timed-out'] === undefined ? undefined : commandEnd(answer.headers);
    return {
      stdout: contentOf(answer, signal),
      ended: early,
      end: () => early ?? commandEnd(answer.trailers),
    };
  }

  /** Runs it, or attaches to it where it runs already. Its events come from its beginning. */
  async execute(request: ExecuteRequest, signal: AbortSignal): Promise<AsyncGenerator<AgentEvent[]>> {
    const answer = await this.#ok({
      method: 'POST',
      path: '/execute',
      body: JSON.stringify(request),
      signal,
    });
    return executionEvents(answer, 0, signal);
  }

  async executionEvents(
    id: string,
    after: number,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<AgentEvent[]>> {
    const answer = await this.#ok({ method: 'GET', path: `/executions/${id}/events?after=${after}`, signal });
    return executionEvents(answer, after, signal);
  }

  async cancelExecution(id: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#ok({ method: 'POST', path: `/executions/${id}/cancel`, signal });
    await readBounded(answer, PROBLEM_BYTES, signal);
  }

  /** Says when files change, until the signal aborts or the connection breaks. */
  async fileChanges(exclude: readonly string[], signal: AbortSignal): Promise<AsyncGenerator<FileChange>> {
    const answer = await this.#ok({ method: 'GET', path: `/files/changes${excluding(exclude)}`, signal });
    return changeEvents(answer, signal);
  }

  async listFiles(signal: AbortSignal, exclude: readonly string[] = []): Promise<FileManifest> {
    const answer = await this.#ok({ method: 'GET', path: `/files${excluding(exclude)}`, signal });
    return parseJson(await readBounded(answer, MANIFEST_BYTES, signal), manifestAnswer);
  }

  async readFile(path: string, signal: AbortSignal): Promise<{ size: number; content: Readable }> {
    const answer = await this.#ok({ method: 'GET', path: fileUrl(path), signal });
    const size = Number(answer.headers['content-length']);
    if (Number.isSafeInteger(size) && size >= 0) return { size, content: contentOf(answer, signal) };
    answer.destroy();
    if (answer.headers['content-length'] === undefined)
      throw new AgentMisbehaved('a file comes without its size');
    throw new BerthError('INVALID_PATH', 'the file says to be larger than any can be');
  }

  /** `mode`: permission bits, else what a new file gets. */
  async writeFile(path: string, content: Readable, signal: AbortSignal, mode?: number): Promise<void> {
    const query = mode === undefined ? '' : `?mode=${(mode & 0o777).toString(8).padStart(3, '0')}`;
    const answer = await this.#ok({ method: 'PUT', path: fileUrl(path) + query, body: content, signal });
    await readBounded(answer, PROBLEM_BYTES, signal);
  }

  async removeFile(path: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#ok({ method: 'DELETE', path: fileUrl(path), signal });
    await readBounded(answer, PROBLEM_BYTES, signal);
  }

  async createTerminal(request: TerminalRequest, signal: AbortSignal): Promise<TerminalView> {
    const body = JSON.stringify(request);
    const answer = await this.#terminals({ method: 'POST', path: '/terminals', body, signal });
    return parseJson(await readBounded(answer, TERMINALS_BYTES, signal), terminalAnswer);
  }

  async listTerminals(signal: AbortSignal): Promise<TerminalView[]> {
    const answer = await this.#terminals({ method: 'GET', path: '/terminals', signal });
    return parseJson(await readBounded(answer, TERMINALS_BYTES, signal), terminalsAnswer).terminals;
  }

  async endTerminal(id: TerminalId, signal: AbortSignal): Promise<void> {
    const answer = await this.#terminals({ method: 'DELETE', path: `/terminals/${id}`, signal });
    await readBounded(answer, PROBLEM_BYTES, signal);
  }

  /** What the terminal shows after so many bytes, and what is typed. Closed when the signal aborts. */
  async attachTerminal(id: TerminalId, after: number, signal: AbortSignal): Promise<TerminalLine> {
    const call: AgentCall = { method: 'GET', path: `/terminals/${id}/socket?after=${after}`, signal };
    const opened = await this.#connection.upgrade(call, 'berth-terminal');
    if ('socket' in opened) return openTerminalLine(opened.socket, opened.head, after, signal);
    return asOlder(this.#refuse(opened.answer, call));
  }

  close(): void {
    this.#connection.close();
  }

  async #ok(call: AgentCall): Promise<IncomingMessage> {
    const answer = await this.#connection.call(call);
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    return this.#refuse(answer, call);
  }

  #terminals(call: AgentCall): Promise<IncomingMessage> {
    return asOlder(this.#ok(call));
  }

  async #refuse(answer: IncomingMessage, call: AgentCall): Promise<never> {
    const problem = parseJson(await readBounded(answer, PROBLEM_BYTES, call.signal), problemAnswer);
    throw refusal(problem, call);
  }
}

/** An agent of an earlier version has no such route. */
async function asOlder<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof RouteMissing)) throw error;
    throw new BerthError(
      'NOT_SUPPORTED',
      "this container's image is older than terminals: delete the conversation, or let it expire, and its next " +
        'container has them if the image is of this version',
      {},
      error,
    );
  }
}

function refusal(problem: z.infer<typeof problemAnswer>, call: AgentCall): BerthError {
  const { code, message, execution_id } = problem;
  const ours = REFUSALS[code];
  if (code === 'EXECUTION_FORGOTTEN') return new ExecutionForgotten(message);
  if (ours === 'CONVERSATION_LOCKED') {
    return new BerthError(ours, message, execution_id === undefined ? {} : { execution_id });
  }
  if (ours === 'INVALID_REQUEST') return new BerthError(ours, message, { errors: [{ path: '', message }] });
  if (ours !== undefined) return new BerthError(ours, message);
  const what = `${call.method} ${call.path.split('?')[0]}`;
  if (code === 'ROUTE_NOT_FOUND') return new RouteMissing(`the agent has no ${what}`);
  return new BerthError('INTERNAL', `the agent refused ${what} with ${code}: ${message}`);
}

async function* execEvents(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<ExecEvent> {
  for await (const line of readEvents(answer, LINE_BYTES, signal)) {
    const event = parseJson(line, execEvent);
    yield event;
    if (event.type !== 'output') return;
  }
  throw new AgentMisbehaved('the stream ends without an exit');
}

async function* changeEvents(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<FileChange> {
  for await (const line of readEvents(answer, LINE_BYTES, signal)) yield parseJson(line, fileChange);
}

/** The bytes of an answer, where a connection that breaks off is told as `AgentUnreachable`. */
function contentOf(answer: IncomingMessage, signal: AbortSignal): Readable {
  return Readable.from(agentBytes(answer, signal), { objectMode: false });
}

function commandEnd(from: NodeJS.Dict<string | string[]>): CommandEnd {
  const { 'x-exit-code': code, 'x-timed-out': timedOut } = from;
  if (timedOut === undefined) throw new AgentMisbehaved('the output ends without an outcome');
  if (code !== undefined && !/^\d{1,3}$/.test(String(code)))
    throw new AgentMisbehaved('the exit code is no number');
  return { exitCode: code === undefined ? null : Number(code), timedOut: timedOut === 'true' };
}

function excluding(names: readonly string[]): string {
  return names.length === 0 ? '' : `?${names.map((name) => `exclude=${encodeURIComponent(name)}`).join('&')}`;
}

function fileUrl(path: string): string {
  if (path === 'changes') return '/files/%63hanges'; // as it stands it is another route of the agent's
  return `/files/${path.split('/').map(encodeURIComponent).join('/')}`;
}
