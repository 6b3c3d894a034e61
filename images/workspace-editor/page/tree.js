import { listFolder } from './api.js';
import { element, icon, make } from './element.js';
import { recallList, remember } from './memory.js';
import { attempt } from './notices.js';
import { folderOf, isWithin, join, nameOf } from './paths.js';

const CLOSED = 'M6 4l4 4-4 4';
const OPENED = 'M4 6l4 4 4-4';
const FILE = 'M9.5 1.5H4v13h8V4zM9.5 1.5V4H12';
const DOTS = 'M3.5 8h.01M8 8h.01M12.5 8h.01';

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/**
 * @typedef {import('./api.js').Entry} Entry
 * @typedef {{ path: string, kind: Entry['kind'], depth: number }} Row
 */

/** The files of the workspace. Folders are read when they are opened; a row is a `treeitem`. */
export class Tree {
  /** @type {Map<string, { entries: Entry[], more: boolean }>} */
  #folders = new Map();
  #opened = new Set(recallList('folders'));
  /** @type {Row[]} */
  #rows = [];
  /** Home, while nothing is. */
  #selected = '';
  #box = element('tree');
  #on;

  /**
   * @param {{ open: (path: string) => void, menu: (row: Row, at: DOMRect | DOMPoint) => void,
   *   rename: (path: string) => void, remove: (path: string) => void, changed: () => void }} on
   */
  constructor(on) {
    this.#on = on;
    this.#box.addEventListener('click', (event) => this.#click(event));
    this.#box.addEventListener('keydown', (event) => this.#key(event));
    this.#box.addEventListener('contextmenu', (event) => {
      const row = this.#rowAt(event.target);
      if (row === undefined) return;
      event.preventDefault();
      this.#select(row.path);
      this.#on.menu(row, new DOMPoint(event.clientX, event.clientY));
    });
  }

  /** The folders whose content is on the page. */
  get folders() {
    return ['', ...[...this.#opened].filter((path) => this.#folders.has(path))];
  }

  /** Where something new goes: the selected folder, or that of the selected file. */
  get currentFolder() {
    const row = this.#rows.find(({ path }) => path === this.#selected);
    if (row === undefined) return '';
    return row.kind === 'folder' ? row.path : folderOf(row.path);
  }

  /**
   * Where something that is dropped on an element goes.
   * @param {EventTarget | null} target
   */
  folderAt(target) {
    const row = this.#rowAt(target);
    if (row === undefined) return '';
    return row.kind === 'folder' ? row.path : folderOf(row.path);
  }

  /**
   * Reads folders again; those that are gone are closed.
   * @param {Iterable<string>} [folders]
   */
  async refresh(folders = ['', ...this.#opened]) {
    await attempt('Could not read the files', async () => {
      await Promise.all(
        [...folders].map(async (path) => {
          const read = listFolder(path);
          const found = path === '' ? await read : await read.catch(() => undefined);
          if (found !== undefined) this.#folders.set(path, found);
          else this.#closeFolder(path);
        }),
      );
      this.#draw();
      this.#on.changed();
    });
  }

  /**
   * Opens the folders above something, and selects it.
   * @param {string} path
   */
  async reveal(path) {
    const above = [];
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) above.push(folder);
    for (const folder of above) this.#opened.add(folder);
    this.#selected = path;
    await this.refresh(['', ...above]);
    this.#rowElement(path)?.scrollIntoView({ block: 'nearest' });
  }

  focus() {
    (this.#rowElement(this.#selected) ?? this.#box.querySelector('.row'))?.focus();
  }

  /** @param {string} path */
  #closeFolder(path) {
    for (const folder of [...this.#folders.keys()]) if (isWithin(folder, path)) this.#folders.delete(folder);
    for (const folder of [...this.#opened]) if (isWithin(folder, path)) this.#opened.delete(folder);
  }

  #draw() {
    this.#rows = [...this.#rowsOf('', 0)];
    if (!this.#rows.some(({ path }) => path === this.#selected)) this.#selected = '';
    const reached = this.#selected || this.#rows[0]?.path;
    const hadFocus = this.#box.contains(document.activeElement);
    const scrolled = this.#box.scrollTop;
    this.#box.replaceChildren(...this.#rows.map((row) => this.#drawRow(row, row.path === reached)));
    if (this.#rows.length === 0)
      this.#box.append(make('div', { class: 'hint' }, 'Nothing here yet. Drop files to upload them.'));
    if ([...this.#folders.values()].some(({ more }) => more))
      this.#box.append(make('div', { class: 'hint' }, 'Not all files are shown: there are too many.'));
    this.#box.scrollTop = scrolled;
    if (hadFocus) this.focus();
    remember('folders', [...this.#opened]);
  }

  /**
   * @param {string} folder
   * @param {number} depth
   * @returns {Generator<Row>}
   */
  *#rowsOf(folder, depth) {
    const entries = this.#folders.get(folder)?.entries ?? [];
    const isFile = (/** @type {Entry} */ { kind }) => Number(kind !== 'folder');
    for (const entry of entries.toSorted((a, b) => isFile(a) - isFile(b) || byName.compare(a.name, b.name))) {
      const path = join(folder, entry.name);
      yield { path, kind: entry.kind, depth };
      if (entry.kind === 'folder' && this.#opened.has(path)) yield* this.#rowsOf(path, depth + 1);
    }
  }

  /**
   * @param {Row} row
   * @param {boolean} reached by the Tab key
   */
  #drawRow({ path, kind, depth }, reached) {
    const name = nameOf(path);
    const opened = this.#opened.has(path);
    const drawing = kind === 'folder' ? (opened ? OPENED : CLOSED) : FILE;
    const more = make(
      'button',
      { class: 'icon more', tabindex: '-1', 'aria-label': `Actions for ${name}` },
      icon(DOTS),
    );
    const attributes = {
      class: name.startsWith('.') ? 'row hidden-file' : 'row',
      role: 'treeitem',
      title: name,
      'aria-level': `${depth + 1}`,
      'aria-selected': `${path === this.#selected}`,
      tabindex: reached ? '0' : '-1',
      ...(kind === 'folder' ? { 'aria-expanded': `${opened}` } : {}),
    };
    const row = make('div', attributes, icon(drawing), make('span', { class: 'name' }, name), more);
    row.style.setProperty('--depth', `${depth}`);
    row.dataset.path = path;
    return row;
  }

  /** @param {string} path */
  #select(path) {
    for (const row of this.#box.querySelectorAll('[aria-selected="true"], [tabindex="0"]')) {
      row.setAttribute('aria-selected', 'false');
      row.setAttribute('tabindex', '-1');
    }
    this.#selected = path;
    const row = this.#rowElement(path) ?? this.#box.querySelector('.row');
    row?.setAttribute('aria-selected', `${path !== ''}`);
    row?.setAttribute('tabindex', '0');
    if (path !== '') this.#rowElement(path)?.focus();
  }

  /** @param {Row} row */
  async #use({ path, kind }) {
    this.#select(path);
    if (kind === 'file') this.#on.open(path);
    if (kind !== 'folder') return;
    if (this.#opened.delete(path)) {
      this.#closeFolder(path);
      this.#draw();
      this.#on.changed();
    } else {
      this.#opened.add(path);
      await this.refresh([path]);
    }
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const row = this.#rowAt(event.target);
    if (row === undefined) {
      this.#select('');
      return;
    }
    const more = event.target instanceof Element ? event.target.closest('.more') : null;
    if (more === null) void this.#use(row);
    else {
      this.#select(row.path);
      this.#on.menu(row, more.getBoundingClientRect());
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const at = Math.max(
      0,
      this.#rows.findIndex(({ path }) => path === this.#selected),
    );
    const row = this.#rows[at];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const isOpen = this.#opened.has(row.path);
    const go = (/** @type {number} */ to) => this.#select(this.#rows[to]?.path ?? row.path);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(this.#rows.length - 1),
      ArrowRight: () => (row.kind !== 'folder' ? undefined : isOpen ? go(at + 1) : void this.#use(row)),
      ArrowLeft: () => (isOpen ? void this.#use(row) : this.#select(folderOf(row.path) || row.path)),
      Enter: () => void this.#use(row),
      ' ': () => void this.#use(row),
      F2: () => this.#on.rename(row.path),
      Delete: () => this.#on.remove(row.path),
      ContextMenu: () =>
        this.#on.menu(row, this.#rowElement(row.path)?.getBoundingClientRect() ?? new DOMRect()),
    };
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  /**
   * @param {string} path
   * @returns {HTMLElement | null}
   */
  #rowElement(path) {
    return this.#box.querySelector(`[data-path="${CSS.escape(path)}"]`);
  }

  /** @param {EventTarget | null} target */
  #rowAt(target) {
    const row = target instanceof Element ? target.closest('.row') : null;
    const path = row instanceof HTMLElement ? row.dataset.path : undefined;
    return this.#rows.find((known) => known.path === path);
  }
}
