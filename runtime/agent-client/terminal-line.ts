import { once } from 'node:events';
import type { Socket } from 'node:net';
import { AgentMisbehaved, AgentUnreachable } from './agent-failures.ts';
import { agentBytes } from './bounded-reading.ts';
import { inputFrames, resizeFrame, TerminalFrames, type TerminalNews } from './terminal-frames.ts';

const ATTACHED_MS = 10_000;
/** A peer that is gone without a word is noticed. */
const PROBE_MS = 30_000;

/** A line to a terminal in a container. Nothing is read of it that nobody takes. */
export interface TerminalLine {
  /** How many bytes were shown before the first of `output`. */
  offset: number;
  /** What the terminal shows. Returns with how it ended; throws where the line breaks before. */
  output: AsyncGenerator<Buffer, { exitCode: number | null }>;
  /** Resolves when the agent has taken most of it. */
  type(bytes: Buffer): Promise<void>;
  resize(cols: number, rows: number): Promise<void>;
}

/** Resolves once the agent has said where the terminal's output begins. The signal closes the line. */
export async function openTerminalLine(
  socket: Socket,
  head: Buffer,
  after: number,
  signal: AbortSignal,
): Promise<TerminalLine> {
  const close = () => socket.destroy();
  socket.on('error', close);
  signal.addEventListener('abort', close);
  socket.once('close', () => signal.removeEventListener('abort', close));
  if (signal.aborted) close();
  if (head.length > 0) socket.unshift(head);
  socket.setNoDelay(true).setKeepAlive(true, PROBE_MS).setTimeout(0);
  const news = newsOf(socket, after, signal);
  const late = setTimeout(close, ATTACHED_MS);
  try {
    const { value } = await news.next();
    if (value?.kind !== 'attached') throw new AgentMisbehaved('a terminal does not say where it begins');
    return {
      offset: value.offset,
      output: outputOf(news, socket),
      type: (bytes) => write(socket, inputFrames(bytes)),
      resize: (cols, rows) => write(socket, resizeFrame(cols, rows)),
    };
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

async function* outputOf(
  news: AsyncGenerator<TerminalNews>,
  socket: Socket,
): AsyncGenerator<Buffer, { exitCode: number | null }> {
  try {
    for await (const said of news) {
      if (said.kind === 'output') yield said.bytes;
      if (said.kind === 'exit') return { exitCode: said.exitCode };
    }
  } finally {
    socket.destroy();
  }
  throw new AgentUnreachable(true, new Error('the line to the terminal broke'));
}

async function* newsOf(socket: Socket, after: number, signal: AbortSignal): AsyncGenerator<TerminalNews> {
  const frames = new TerminalFrames(after);
  for await (const chunk of agentBytes(socket, signal)) yield* frames.take(chunk);
  signal.throwIfAborted();
}

async function write(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return;
  // What nobody will take is waited for no longer than the line lasts.
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => {});
  over.abort();
}
