import { address } from './api.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/**
 * A WebSocket that comes back by itself, but only while someone looks: a page in the background must not wake a
 * workspace that has gone to sleep, again and again.
 */
export class LastingSocket {
  /** @type {WebSocket | undefined} */
  #socket;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #wait = FIRST_WAIT_MS;
  #ended = false;
  #url;
  #on;

  /**
   * @param {string} name
   * @param {Record<string, string>} query
   * @param {{ opened: () => void, text: (message: Record<string, unknown>) => void,
   *   bytes?: (data: Uint8Array) => void, lost: (opened: boolean) => void }} on
   */
  constructor(name, query, on) {
    this.#url = address(name, query);
    this.#url.protocol = this.#url.protocol === 'https:' ? 'wss:' : 'ws:';
    this.#on = on;
    this.#connect();
    document.addEventListener('visibilitychange', this.#return);
    addEventListener('online', this.#return);
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** @param {string | Uint8Array<ArrayBuffer>} data */
  send(data) {
    if (this.isOpen) this.#socket?.send(data);
  }

  /** For good. */
  end() {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
    document.removeEventListener('visibilitychange', this.#return);
    removeEventListener('online', this.#return);
  }

  #return = () => {
    if (this.#ended || this.#socket !== undefined || document.hidden) return;
    this.#connect();
  };

  #connect() {
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    let opened = false;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      opened = true;
      this.#wait = FIRST_WAIT_MS;
      this.#on.opened();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.#on.text(JSON.parse(data));
      else this.#on.bytes?.(new Uint8Array(data));
    };
    socket.onclose = () => {
      this.#socket = undefined;
      if (this.#ended) return;
      this.#timer = setTimeout(this.#return, this.#wait);
      this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2);
      this.#on.lost(opened);
    };
  }
}
