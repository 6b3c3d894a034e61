import { live } from '../wire/live.js';
import { h, put, say } from './dom.js';
import { reason } from './notices.js';
import { choice, searchBox } from './search.js';
import { Table } from './table.js';

/**
 * @template Item
 * @typedef {{
 *   title: string,
 *   note?: string,
 *   columns: import('./table.js').Column<Item>[],
 *   key: (item: Item) => string,
 *   text: (item: Item) => string,
 *   empty: string,
 *   filter?: { label: string, options: readonly (readonly [string, string])[], of: (item: Item) => string, chosen?: string },
 *   load: (enough: number, filter: string) => Promise<{ items: Item[], more: boolean }>,
 *   changes: () => unknown,
 *   actions?: Element[],
 * }} ListParts
 * `text` is what is searched; `load` gets at least so many, if there are; it is loaded again when `changes` is another
 */

const PAGE = 100;
const MOST = 5000;
/** Not more often than this, whatever changes; and so often although nothing does: times to live move. */
const SOON_MS = 2000;
const AT_LEAST_MS = 15_000;

/**
 * A page with a list: search, a filter, more on demand, and always as it is now.
 * @template Item
 * @param {import('../router.js').Visit} visit
 * @param {ListParts<Item>} parts
 */
export async function listPage({ main, signal }, parts) {
  const state = {
    text: '',
    filter: parts.filter?.chosen ?? '',
    enough: PAGE,
    changes: '',
    at: Number.NEGATIVE_INFINITY,
  };
  /** @type {{ items: Item[], more: boolean }} */
  let loaded = { items: [], more: false };
  const table = new Table(parts.title, { columns: parts.columns, key: parts.key, empty: parts.empty });
  const counted = h('p', { class: 'hint', role: 'status' });
  const more = h('button', { type: 'button', hidden: true }, 'Show more');
  const problem = h('p', { class: 'problem', role: 'alert' });

  const draw = () => {
    const found = loaded.items.filter(
      (item) =>
        parts.text(item).toLowerCase().includes(state.text) &&
        (state.filter === '' || parts.filter === undefined || parts.filter.of(item) === state.filter),
    );
    table.sayEmpty(state.text === '' && state.filter === '' ? parts.empty : 'Nothing here is like that.');
    table.update(found.slice(0, state.enough));
    const all = `${loaded.items.length}${loaded.more ? ' or more' : ''}`;
    say(counted, found.length === loaded.items.length ? `${all}` : `${found.length} of ${all}`);
    more.hidden = !loaded.more && found.length <= state.enough;
  };
  const load = async () => {
    state.at = performance.now();
    try {
      // What is searched for may be on any page.
      const fresh = await parts.load(state.text === '' ? state.enough : MOST, state.filter);
      if (signal.aborted) return;
      loaded = fresh;
      put(problem);
      draw();
    } catch (error) {
      if (!signal.aborted) say(problem, reason(error));
    }
  };

  more.addEventListener('click', () => {
    state.enough += PAGE;
    void load();
  });
  const search = searchBox(`Search ${parts.title.toLowerCase()}`, (text) => {
    const isWider = state.text === '' && text !== '' && loaded.more;
    state.text = text;
    draw();
    if (isWider) void load();
  });
  const { filter } = parts;
  const chooser =
    filter &&
    choice(
      filter.label,
      filter.options,
      (value) => {
        state.filter = value;
        draw();
        void load();
      },
      filter.chosen,
    );
  put(
    main,
    h(
      'div',
      { class: 'head' },
      h('h1', {}, parts.title),
      counted,
      h('div', { class: 'actions' }, ...(parts.actions ?? [])),
    ),
    parts.note !== undefined && h('p', { class: 'hint' }, parts.note),
    h('div', { class: 'filters' }, search, chooser),
    problem,
    h('div', { class: 'card list' }, table.element),
    more,
  );

  const follow = () => {
    const changes = JSON.stringify(parts.changes());
    const waited = performance.now() - state.at;
    if (document.hidden || waited < SOON_MS || (changes === state.changes && waited < AT_LEAST_MS)) return;
    state.changes = changes;
    void load();
  };
  state.changes = JSON.stringify(parts.changes());
  await load();
  live.listen(signal, follow);
  const timer = setInterval(follow, SOON_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/**
 * Goes from page to page of the API until there is enough.
 * @template Item
 * @param {number} enough
 * @param {(limit: number, cursor: string | undefined) => Promise<{ items: Item[], next: string | null }>} page
 * @returns {Promise<{ items: Item[], more: boolean }>}
 */
export async function pagesOf(enough, page) {
  /** @type {Item[]} */
  const items = [];
  /** @type {string | undefined} */
  let cursor;
  do {
    const { items: found, next } = await page(Math.min(1000, enough - items.length), cursor);
    items.push(...found);
    cursor = next ?? undefined;
  } while (cursor !== undefined && items.length < enough);
  return { items, more: cursor !== undefined };
}
