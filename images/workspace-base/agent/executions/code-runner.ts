import type { ExecutionEvent } from '../../../../runtime/contracts/agent-protocol.ts';
import type { CommandOutcome, StreamName } from '../exec/command.ts';
import { type TextPiece, TextPieces } from '../exec/text-pieces.ts';
import type { EventLog } from './event-log.ts';
import { type LastEvent, lastEvent, type Runner, type Wish } from './runner.ts';

/** As JSON a byte may take six, and the runtime passes on events of up to 60 KiB whole. */
const PIECE_BYTES = 8 * 1024;

/** Makes events of a script: tells what it writes. */
export class CodeRunner implements Runner {
  readonly said = undefined;
  readonly #sessionId: string | undefined;
  readonly #log: EventLog;
  readonly #pieces = { stdout: new TextPieces(), stderr: new TextPieces() };

  constructor(sessionId: string | undefined, log: EventLog) {
    this.#sessionId = sessionId;
    this.#log = log;
  }

  take(stream: StreamName, chunk: Buffer): Wish {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      this.#tell(stream, this.#pieces[stream].take(chunk.subarray(at, at + PIECE_BYTES)));
    }
    return 'go on';
  }

  ended({ exitCode, durationMs }: CommandOutcome): LastEvent {
    this.#tell('stdout', this.#pieces.stdout.end());
    this.#tell('stderr', this.#pieces.stderr.end());
    return lastEvent({
      type: 'done',
      subtype: exitCode === 0 ? 'success' : 'error',
      exit_code: exitCode,
      duration_ms: durationMs,
      num_turns: 1,
      ...(this.#sessionId !== undefined && { session_id: this.#sessionId }),
      result: '',
    });
  }

  #tell(stream: StreamName, piece: TextPiece): void {
    if (piece.text === '') return;
    const event: ExecutionEvent = { type: 'text_delta', ...piece, stream };
    this.#log.append(event.type, JSON.stringify(event));
  }
}
