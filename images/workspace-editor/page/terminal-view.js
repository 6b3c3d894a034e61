import { terminalColours } from './colours.js';
import { element, make } from './element.js';
import { LastingSocket } from './lasting-socket.js';
import { FitAddon } from './vendor/addon-fit.mjs';
import { Terminal } from './vendor/xterm.mjs';

/** Told to the server in steps of this, so that it sends no more than can be drawn. */
const DRAWN_STEP = 32 * 1024;
const CHUNK = 64 * 1024;
const MAX_EARLY = 1000;
/** What a terminal's own answers begin with. */
const ESCAPE = 0x1b;

/** One terminal on the page, over its own WebSocket. */
export class TerminalView {
  #fit = new FitAddon();
  #screen = make('div', { class: 'screen' });
  #drawn = 0;
  /**
   * What is typed before the first connection stands; later it would run long after anybody meant it.
   * @type {Uint8Array<ArrayBuffer>[] | undefined}
   */
  #early = [];
  /** While what was shown before is drawn again, questions in it are not answered once more. */
  #past = 0;
  #ended = false;
  #fitted = false;
  #terminal;
  #socket;

  /**
   * @param {string} id
   * @param {{ title: (title: string) => void, exited: (code: number) => void, gone: () => void,
   *   connected: (is: boolean) => void }} on
   */
  constructor(id, on) {
    this.#terminal = new Terminal({
      theme: terminalColours(),
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
      fontSize: 13,
      lineHeight: 1.15,
      scrollback: 5000,
      minimumContrastRatio: 4.5,
      macOptionIsMeta: true,
    });
    this.#terminal.loadAddon(this.#fit);
    element('screens').append(this.#screen);
    this.#terminal.open(this.#screen);
    this.#terminal.onData((text) => this.#send(new TextEncoder().encode(text)));
    this.#terminal.onBinary((text) => this.#send(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
    this.#terminal.onResize(() => this.#tellSize());
    this.#terminal.onTitleChange(on.title);
    this.#terminal.onRender(() => {
      if (!this.#fitted) this.fit();
    });
    // The key that leaves the terminal is the page's.
    this.#terminal.attachCustomKeyEventHandler((event) => !(event.ctrlKey && event.key === '`'));
    this.#socket = new LastingSocket(
      'terminal',
      { id },
      {
        opened: () => {
          this.#terminal.reset();
          this.#drawn = 0;
          this.#tellSize();
          const early = this.#early ?? [];
          this.#early = undefined;
          for (const bytes of early) this.#send(bytes);
          on.connected(true);
        },
        bytes: (data) => this.#draw(data),
        text: ({ past, exitCode }) => {
          if (typeof past === 'number') this.#past = past;
          if (typeof exitCode !== 'number') return;
          this.#ended = true;
          this.#socket.end();
          this.#terminal.write(`\r\n\x1b[2m[ended with ${exitCode}]\x1b[0m\x1b[?25l`);
          on.exited(exitCode);
        },
        lost: (opened) => {
          if (this.#ended) return;
          on.connected(false);
          // Refused at once: the server may have started anew, without it.
          if (!opened) on.gone();
        },
      },
    );
    new ResizeObserver(() => this.fit()).observe(element('screens'));
  }

  get size() {
    return { rows: this.#terminal.rows, columns: this.#terminal.cols };
  }

  /** @param {boolean} shown */
  show(shown) {
    this.#screen.classList.toggle('shown', shown);
    if (shown) this.fit();
  }

  /** Fills the place there is; what is not seen yet has no measures, and is fitted when it is first drawn. */
  fit() {
    const seen = this.#screen.offsetWidth > 0 && this.#screen.classList.contains('shown');
    this.#fitted = seen && this.#fit.proposeDimensions() !== undefined;
    if (this.#fitted) this.#fit.fit();
  }

  focus() {
    this.#terminal.focus();
  }

  recolour() {
    this.#terminal.options.theme = terminalColours();
  }

  end() {
    this.#ended = true;
    this.#socket.end();
    this.#terminal.dispose();
    this.#screen.remove();
  }

  /** @param {Uint8Array} data */
  #draw(data) {
    this.#terminal.write(data, () => {
      this.#past = Math.max(0, this.#past - data.length);
      this.#drawn += data.length;
      if (this.#drawn < DRAWN_STEP) return;
      this.#socket.send(JSON.stringify({ drawn: this.#drawn }));
      this.#drawn = 0;
    });
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  #send(bytes) {
    if (this.#past > 0 && bytes[0] === ESCAPE) return;
    if (this.#early !== undefined && this.#early.length < MAX_EARLY) this.#early.push(bytes);
    for (let from = 0; from < bytes.length; from += CHUNK)
      this.#socket.send(bytes.subarray(from, from + CHUNK));
  }

  #tellSize() {
    this.#socket.send(JSON.stringify(this.size));
  }
}
