import type { ExecEvent } from '../../../../runtime/contracts/agent-protocol.ts';
import type { Call } from '../agent.ts';
import { EventStream } from '../http/event-stream.ts';
import type { StreamName } from './command.ts';
import { runForClient } from './run-for-client.ts';
import { type TextPiece, TextPieces } from './text-pieces.ts';

/** A byte that is no UTF-8 becomes three, so a piece stays below 64 KiB as text whatever is in it. */
const PIECE_BYTES = 16 * 1024;

/** Runs a command and sends its output as it comes; a reader that is behind slows the command down. */
export async function streamExec(call: Call): Promise<void> {
  const { res } = call;
  const pieces = { stdout: new TextPieces(), stderr: new TextPieces() };
  let events: EventStream | undefined;

  // The first output comes after the spawn has been seen to succeed, and the stream opened, below.
  const send = (event: ExecEvent): boolean => events?.send(event) ?? true;
  const sendPiece = (stream: StreamName, piece: TextPiece): boolean =>
    piece.text === '' || send({ type: 'output', stream, ...piece });

  const command = await runForClient(call, (stream, chunk) => {
    let keepsUp = true;
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      keepsUp = sendPiece(stream, pieces[stream].take(chunk.subarray(at, at + PIECE_BYTES)));
    }
    return keepsUp;
  });
  events = new EventStream(res);
  res.on('drain', () => command.resume());

  const outcome = await command.outcome;
  sendPiece('stdout', pieces.stdout.end());
  sendPiece('stderr', pieces.stderr.end());
  send({
    type: 'exit',
    exit_code: outcome.exitCode,
    ...(outcome.signal && { signal: outcome.signal }),
    timed_out: outcome.timedOut,
    duration_ms: outcome.durationMs,
  });
  events.end();
}
