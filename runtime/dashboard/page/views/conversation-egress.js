import { h, put } from '../parts/dom.js';
import { card } from '../parts/facts.js';
import { attempt, notice } from '../parts/notices.js';
import { printable } from '../parts/printable.js';
import { Table } from '../parts/table.js';
import { call } from '../wire/api.js';
import { refusalTable } from './overview.js';

/** @import { Egress } from '../api-types.js' */
/** @import { Visit } from '../router.js' */

const EVERY_MS = 3000;

/**
 * What it may reach, and what it was refused.
 * @param {Visit} visit
 */
export async function egressTab({ main, id, signal }) {
  const read = () => call('GET /v1/conversations/{id}/egress', { params: { id }, signal });
  const first = await read();
  if (signal.aborted) return;
  const refusals = refusalTable(false);
  const note = h('p', { class: 'hint' });
  const show = (/** @type {Egress} */ egress) => {
    refusals.element.hidden = egress.recent_refusals === null;
    refusals.update(egress.recent_refusals ?? []);
    put(
      note,
      egress.recent_refusals === null && 'Proxies beside containers tell only how many they refused.',
    );
  };
  put(
    main,
    h('div', { class: 'two' }, domainsForm(id, first), serversCard(first)),
    card('Refused lately', note, refusals.element),
  );
  show(first);
  const timer = setInterval(() => !document.hidden && void read().then(show, () => {}), EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/**
 * @param {string} id
 * @param {Egress} first
 */
function domainsForm(id, first) {
  const words = (/** @type {Egress} */ { allowed_domains }) => (allowed_domains ?? []).join('\n');
  const input = h('textarea', {
    id: 'domains',
    class: 'mono',
    rows: 6,
    spellcheck: 'false',
    'aria-describedby': 'domains-hint',
  });
  input.value = words(first);
  const hint = h('p', { id: 'domains-hint', class: 'hint' });
  const tell = (/** @type {Egress} */ { allowed_domains }) =>
    put(
      hint,
      allowed_domains === null
        ? 'The operator’s own list holds.'
        : `${allowed_domains.length} of its own, in place of the operator’s list.`,
    );
  tell(first);
  const change = (/** @type {string[] | null} */ allowed_domains) =>
    attempt('Could not change it', async () => {
      const now = await call('PUT /v1/conversations/{id}/egress', {
        params: { id },
        body: { allowed_domains },
      });
      input.value = words(now);
      tell(now);
      notice('It holds from now on.');
    });
  const form = h(
    'form',
    { class: 'card' },
    h('h2', {}, 'Domains that it reaches'),
    h('label', { for: 'domains' }, 'One a line: host, .suffix or host:port'),
    input,
    hint,
    h(
      'div',
      { class: 'choices' },
      h('button', { type: 'button', click: () => void change(null) }, 'The operator’s list'),
      h('button', { class: 'main' }, 'Set'),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void change(input.value.split(/\s+/).filter((domain) => domain !== ''));
  });
  return form;
}

/** @param {Egress} egress */
function serversCard({ mcp_servers }) {
  const table = new Table('MCP servers', {
    key: ([name]) => name,
    empty: 'None. An execution, or PUT …/egress, names them.',
    columns: [
      { title: 'Server', make: ([name]) => h('b', {}, printable(name)) },
      { title: 'Address', make: ([, { url }]) => h('span', { class: 'mono' }, printable(url)) },
      { title: 'Headers', make: ([, { header_names }]) => h('span', {}, printable(header_names.join(', '))) },
    ],
  });
  table.update(Object.entries(mcp_servers));
  return card('MCP servers', table.element);
}
