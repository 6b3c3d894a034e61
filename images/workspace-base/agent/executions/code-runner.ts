import { StringDecoder } from 'node:string_decoder';
import type { ExecutionEvent } from '../../../../runtime/contracts/agent-protocol.ts';
import type { CommandOutcome, StreamName } from '../exec/command.ts';
import type { EventLog } from './event-log.ts';
import { type LastEvent, lastEvent, type Runner, type Wish } from './runner.ts';

/** As JSON a byte may take six, and the runtime passes on events of up to 60 KiB whole. */
const PIECE_BYTES = 8 * 1024;

/** Makes events of a script: tells what it writes. */
export class CodeRunner implements Runner {
  readonly said = undefined;
  readonly #sessionId: string | undefined;
  readonly #log: EventLog;
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };

  constructor(sessionId: string | undefined, log: EventLog) {
    this.#sessionId = sessionId;
    this.#log = log;
  }

  take(stream: StreamName, chunk: Buffer): Wish {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      this.#tell(stream, this.#decoders[stream].write(chunk.subarray(at, at + PIECE_BYTES)));
    }
    return 'go on';
  }

  ended({ exitCode, durationMs }: CommandOutcome): LastEvent {
    this.#tell('stdout', this.#decoders.stdout.end());
    this.#tell('stderr', this.#decoders.stderr.end());
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

  #tell(stream: StreamName, text: string): void {
    if (text === '') return;
    const event: ExecutionEvent = { type: 'text_delta', text, stream };
    this.#log.append(event.type, JSON.stringify(event));
  }
}
