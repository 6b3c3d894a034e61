import { CROSS, icon, make } from './element.js';

/** A row of tabs: arrow keys go along it, Delete and the middle button close. */
export class Tabs {
  /** @type {Map<string, HTMLElement>} */
  #tabs = new Map();
  #list;
  #on;

  /**
   * @param {HTMLElement} list
   * @param {{ choose: (id: string) => void, close: (id: string) => void, controls: string }} on
   */
  constructor(list, on) {
    this.#list = list;
    this.#on = on;
    list.addEventListener('keydown', (event) => this.#key(event));
    list.addEventListener('wheel', (event) => list.scrollBy(event.deltaY, 0), { passive: true });
  }

  /**
   * @param {string} id
   * @param {string} name
   * @param {string} title
   */
  add(id, name, title) {
    const label = make('span', { class: 'name' }, name);
    const close = make(
      'button',
      { class: 'icon close', tabindex: '-1', 'aria-label': `Close ${name}` },
      icon(CROSS),
    );
    const attributes = {
      class: 'tab',
      role: 'tab',
      title,
      tabindex: '-1',
      'aria-controls': this.#on.controls,
    };
    const tab = make('div', attributes, label, close);
    tab.dataset.id = id;
    close.addEventListener('click', (event) => {
      event.stopPropagation();
      this.#on.close(id);
    });
    tab.addEventListener('click', () => this.#on.choose(id));
    tab.addEventListener('auxclick', (event) => {
      if (event.button === 1) this.#on.close(id);
    });
    this.#tabs.set(id, tab);
    this.#list.append(tab);
  }

  /** @param {string} id */
  remove(id) {
    this.#tabs.get(id)?.remove();
    this.#tabs.delete(id);
  }

  /**
   * The tab that comes into view once this one is closed.
   * @param {string} id
   */
  besides(id) {
    const ids = [...this.#tabs.keys()];
    const at = ids.indexOf(id);
    return ids[at + 1] ?? ids[at - 1];
  }

  /** @param {string | undefined} id */
  select(id) {
    for (const [key, tab] of this.#tabs) {
      tab.setAttribute('aria-selected', `${key === id}`);
      tab.tabIndex = key === id ? 0 : -1;
      if (key === id) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }

  /**
   * @param {string} id
   * @param {string} name
   * @param {boolean} on
   */
  mark(id, name, on) {
    this.#tabs.get(id)?.classList.toggle(name, on);
  }

  /**
   * @param {string} id
   * @param {string} name
   */
  rename(id, name) {
    const label = this.#tabs.get(id)?.querySelector('.name');
    if (label) label.textContent = name;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const id = event.target instanceof HTMLElement ? event.target.dataset.id : undefined;
    if (id === undefined) return;
    const ids = [...this.#tabs.keys()];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = step && ids[ids.indexOf(id) + step];
    if (next !== undefined && next !== 0) {
      this.#on.choose(next);
      this.#tabs.get(next)?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') this.#on.choose(id);
    else if (event.key === 'Delete') this.#on.close(id);
    else return;
    event.preventDefault();
  }
}
