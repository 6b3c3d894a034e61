import { heldKey } from '../wire/session.js';

/** @typedef {{ attached: (dropped: number) => void, output: (bytes: Uint8Array) => void, exited: (code: number | null) => void,
 *   gone: (why: string) => void, connected: (is: boolean) => void }} Listener */

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 5000;
/** Closed for good: the end, a broken terminal, a container that is gone. */
const FINAL = new Set([1000, 1008, 1011, 4404]);
/** So often in a row without one that stood: there is nothing to come back to. */
const MOST_TRIES = 20;

/** The line to one terminal: it comes back by itself, and goes on where it was. */
export class TerminalSocket {
  #address;
  #on;
  /** How many bytes of the terminal's output are here. */
  #received = 0;
  #wait = FIRST_WAIT_MS;
  #tries = 0;
  /** @type {WebSocket | undefined} */
  #socket;
  #closed = false;

  /**
   * @param {string} address path of the terminal's socket
   * @param {Listener} on
   */
  constructor(address, on) {
    this.#address = address;
    this.#on = on;
    this.#connect();
  }

  /** @param {Uint8Array<ArrayBuffer> | string} bytes of the keyboard, or a message */
  send(bytes) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(bytes);
  }

  close() {
    this.#closed = true;
    this.#socket?.close();
  }

  #connect() {
    if (this.#closed) return;
    const url = new URL(`${this.#address}?after=${this.#received}`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    // Browsers can set no header here: the key goes as an offered protocol, and so into no address and no log.
    const socket = new WebSocket(url, ['berth.terminal', `berth.key.${base64url(heldKey() ?? '')}`]);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') this.#control(JSON.parse(data));
      else {
        this.#received += data.byteLength;
        this.#on.output(new Uint8Array(data));
      }
    });
    socket.addEventListener('close', (event) => this.#lost(event));
  }

  /** @param {{ type?: string, offset?: number, exit_code?: number | null }} message */
  #control(message) {
    if (message.type === 'attached') {
      const offset = message.offset ?? 0;
      this.#on.attached(Math.max(0, offset - this.#received));
      this.#received = offset;
      this.#wait = FIRST_WAIT_MS;
      this.#tries = 0;
      this.#on.connected(true);
    }
    if (message.type === 'exit') {
      this.#closed = true;
      this.#on.exited(message.exit_code ?? null);
    }
  }

  /** @param {CloseEvent} event */
  #lost({ code, reason }) {
    if (this.#closed) return;
    this.#tries += 1;
    if (FINAL.has(code) || this.#tries > MOST_TRIES) {
      this.#closed = true;
      this.#on.gone(code === 4404 ? 'Its container is gone.' : reason || 'The service has closed it.');
      return;
    }
    this.#on.connected(false);
    setTimeout(() => this.#connect(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT_MS);
  }
}

/** @param {string} text */
function base64url(text) {
  const bytes = String.fromCodePoint(...new TextEncoder().encode(text));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
