import type { Duplex } from 'node:stream';
import { attachedFrame, exitFrame, outputFrame } from './frames.ts';
import type { Scrollback } from './scrollback.ts';

const PIECE_BYTES = 32 * 1024;
/** What the runtime gets to close its side of a line whose last word is out. */
const LAST_WORDS_MS = 10_000;

/** Who looks at a terminal, over a line of the runtime's: gets what was shown, as fast as the line takes it. */
export class Viewer {
  readonly line: Duplex;
  readonly #shown: Scrollback;
  /** The number of the next byte to send. */
  #at: number;
  #blocked = false;
  #exit: { code: number | null } | undefined;

  /** `onTaken` is called whenever the line has taken something that it would not take before. */
  constructor(line: Duplex, shown: Scrollback, after: number, onTaken: () => void) {
    this.line = line;
    this.#shown = shown;
    this.#at = shown.beginAfter(after);
    line.write(attachedFrame(this.#at));
    line.on('drain', () => {
      this.#blocked = false;
      this.pump();
      onTaken();
    });
  }

  get at(): number {
    return this.#at;
  }

  /** Sends what there is. One that has fallen out of what is kept is let go: it would miss bytes without a word. */
  pump(): void {
    if (this.#at < this.#shown.start) this.drop();
    while (!this.#blocked && !this.line.destroyed && this.#at < this.#shown.end) {
      const piece = this.#shown.read(this.#at, PIECE_BYTES);
      this.#at += piece.length;
      this.#blocked = !this.line.write(outputFrame(piece));
    }
    if (this.#exit !== undefined && this.#at === this.#shown.end && !this.line.writableEnded) {
      this.line.end(exitFrame(this.#exit.code), () => {
        setTimeout(() => this.drop(), LAST_WORDS_MS).unref();
      });
    }
  }

  /** Tells how it ended, after all that was shown. */
  end(code: number | null): void {
    this.#exit = { code };
    this.pump();
  }

  /** The runtime comes back for what is kept, if somebody still looks. */
  drop(): void {
    this.line.destroy();
  }
}
