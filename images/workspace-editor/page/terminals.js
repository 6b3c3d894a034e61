import { call } from './api.js';
import { whenColoursChange } from './colours.js';
import { element } from './element.js';
import { recall, remember } from './memory.js';
import { attempt } from './notices.js';
import { Tabs } from './tabs.js';
import { TerminalView } from './terminal-view.js';

/** The terminals of the workspace. They live on the server: the page only shows them. */
export class Terminals {
  /** @type {Map<string, TerminalView>} */
  #views = new Map();
  /** @type {string | undefined} */
  #shown;
  #looking = false;
  #tabs;
  #connected;

  /** @param {(is: boolean) => void} connected */
  constructor(connected) {
    this.#connected = connected;
    this.#tabs = new Tabs(element('terminal-tabs'), {
      controls: 'screens',
      choose: (id) => {
        this.#show(id);
        this.focus();
      },
      close: (id) => this.#close(id),
    });
    element('new-terminal').addEventListener('click', () => this.open());
    whenColoursChange(() => {
      for (const view of this.#views.values()) view.recolour();
    });
  }

  /** Shows what the server has, with one more if it has none. */
  async restore() {
    await attempt('Could not open a terminal', async () => {
      await this.#look();
      const shown = recall('terminal');
      this.#show(typeof shown === 'string' && this.#views.has(shown) ? shown : [...this.#views.keys()][0]);
      if (this.#views.size === 0) await this.#open();
    });
  }

  async open() {
    await attempt('Could not open a terminal', async () => {
      await this.#open();
      this.focus();
    });
  }

  focus() {
    this.#views.get(this.#shown ?? '')?.focus();
  }

  async #open() {
    const { rows, columns } = this.#views.get(this.#shown ?? '')?.size ?? { rows: 24, columns: 80 };
    const response = await call('POST', 'terminals', { rows: `${rows}`, columns: `${columns}` });
    const { id, number } = await response.json();
    this.#add(id, number);
    this.#show(id);
  }

  /** Makes the page's terminals those that the server has. */
  async #look() {
    if (this.#looking) return;
    this.#looking = true;
    try {
      /** @type {{ id: string, number: number }[]} */
      const found = (await (await call('GET', 'terminals')).json()).terminals;
      for (const id of [...this.#views.keys()]) if (!found.some((one) => one.id === id)) this.#forget(id);
      for (const { id, number } of found) if (!this.#views.has(id)) this.#add(id, number);
    } finally {
      this.#looking = false;
    }
  }

  /**
   * @param {string} id
   * @param {number} number
   */
  #add(id, number) {
    const name = `Terminal ${number}`;
    this.#tabs.add(id, name, name);
    const view = new TerminalView(id, {
      title: (title) => this.#tabs.rename(id, title === '' ? name : title),
      exited: () => this.#tabs.mark(id, 'ended', true),
      gone: () => void this.#recover(),
      connected: this.#connected,
    });
    this.#views.set(id, view);
  }

  /** Silently: the sockets go on trying, and the page tells that the workspace is away. */
  async #recover() {
    try {
      await this.#look();
      if (this.#views.size === 0) await this.#open();
    } catch {
      // It still is.
    }
  }

  /** @param {string} id */
  async #close(id) {
    await attempt('Could not close the terminal', async () => {
      await call('DELETE', 'terminals', { id });
      this.#forget(id);
    });
  }

  /** @param {string} id */
  #forget(id) {
    const next = this.#tabs.besides(id);
    this.#views.get(id)?.end();
    this.#views.delete(id);
    this.#tabs.remove(id);
    if (this.#shown === id) this.#show(next);
  }

  /** @param {string | undefined} id */
  #show(id) {
    this.#shown = id;
    this.#tabs.select(id);
    for (const [key, view] of this.#views) view.show(key === id);
    remember('terminal', id ?? null);
  }
}
