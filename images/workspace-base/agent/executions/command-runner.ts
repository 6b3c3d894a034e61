import type { CommandOutcome, StreamName } from '../exec/command.ts';
import { type EventLine, MAX_LINE_BYTES, readEventLine } from './event-line.ts';
import type { EventLog } from './event-log.ts';
import { LineSplitter } from './line-splitter.ts';
import { failure, type LastEvent, type Runner, type Wish } from './runner.ts';
import { RunnerStderr } from './runner-stderr.ts';

const NAMED_CHARACTERS = 200;

/** Makes events of a program that says one a line on stdout. */
export class CommandRunner implements Runner {
  said: LastEvent | undefined;
  readonly #log: EventLog;
  readonly #lines = new LineSplitter(MAX_LINE_BYTES);
  readonly #stderr = new RunnerStderr();
  #wish: Wish = 'go on';

  constructor(log: EventLog) {
    this.#log = log;
  }

  take(stream: StreamName, chunk: Buffer): Wish {
    if (stream === 'stderr') this.#stderr.add(chunk);
    else if (!this.said) this.#lines.add(chunk, (line) => this.#takeLine(line, readEventLine(line)));
    return this.#wish;
  }

  ended(outcome: CommandOutcome): LastEvent {
    this.#stderr.flush();
    const rest = this.#lines.rest();
    const line = readEventLine(rest);
    // A line that was cut off says less than what cut it off.
    const cutOff = typeof line === 'object' && 'wrong' in line && outcome.exitCode !== 0;
    if (!cutOff) this.#takeLine(rest, line);
    return this.said ?? failure(this.#exit(outcome));
  }

  /** Returns whether there may be more. */
  #takeLine(bytes: Buffer, line: EventLine): boolean {
    if (line === 'blank') return true;
    if ('wrong' in line) {
      const named = bytes.toString('utf8', 0, NAMED_CHARACTERS * 4).slice(0, NAMED_CHARACTERS);
      this.said = failure(`the runner wrote a line that is no event (${line.wrong}): ${named}`);
      this.#wish = 'die';
    } else if (line.type === 'done' || line.type === 'error') {
      this.said = { type: line.type, data: Buffer.from(line.data) };
      this.#wish = 'leave';
    } else {
      this.#log.append(line.type, line.data);
    }
    return this.said === undefined;
  }

  #exit({ exitCode, signal }: CommandOutcome): string {
    const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`;
    const why = signal === 'SIGKILL' ? '; it may have run out of memory' : '';
    const last = this.#stderr.tail === '' ? '' : `; its last words: ${this.#stderr.tail}`;
    return `the runner ended ${how} before it said done or error${why}${last}`;
  }
}
