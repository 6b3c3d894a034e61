import { h, keep, put } from './dom.js';

/**
 * @template Item
 * @typedef {{ title: string, class?: string, make: (item: Item) => Element, update?: (cell: Element, item: Item) => void }} Column
 * a cell is made once for a row; `update` gets the element that `make` made
 */

/**
 * A table whose rows stay where they are while what they show changes.
 * @template Item
 */
export class Table {
  #columns;
  #key;
  #body = h('tbody');
  #empty;
  element;

  /**
   * @param {string} caption
   * @param {{ columns: Column<Item>[], key: (item: Item) => string, empty: string }} parts
   */
  constructor(caption, { columns, key, empty }) {
    this.#columns = columns;
    this.#key = key;
    this.#empty = h('p', { class: 'empty', hidden: true }, empty);
    const heads = columns.map((column) => h('th', { scope: 'col', class: column.class }, column.title));
    const table = h(
      'table',
      {},
      h('caption', { class: 'unseen' }, caption),
      h('thead', {}, h('tr', {}, ...heads)),
      this.#body,
    );
    table.addEventListener('keydown', (event) => this.#move(event));
    this.element = h('div', { class: 'table' }, table, this.#empty);
  }

  /** @param {readonly Item[]} items */
  update(items) {
    this.#empty.hidden = items.length > 0;
    keep(this.#body, items, {
      key: this.#key,
      make: (item) =>
        h(
          'tr',
          {},
          // On a small screen each cell stands under its own title.
          ...this.#columns.map((column) =>
            h('td', { 'data-title': column.title, class: column.class }, column.make(item)),
          ),
        ),
      update: (row, item) => {
        this.#columns.forEach((column, at) => {
          const cell = row.children[at]?.firstElementChild;
          if (cell) column.update?.(cell, item);
        });
      },
    });
  }

  /** @param {string} text what is said where there are none */
  sayEmpty(text) {
    put(this.#empty, text);
  }

  /**
   * Up and down go from row to row.
   * @param {KeyboardEvent} event
   */
  #move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const row = event.target instanceof Element ? event.target.closest('tr') : null;
    if (step === undefined || row === null || event.target instanceof HTMLInputElement) return;
    const rows = [...this.#body.children];
    const next = rows[rows.indexOf(row) + step]?.querySelector('a, button');
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
  }
}
