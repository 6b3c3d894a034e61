import { badge } from '../parts/badge.js';
import { confirmed } from '../parts/dialogs.js';
import { h, put } from '../parts/dom.js';
import { facts } from '../parts/facts.js';
import { attempt, notice, reason } from '../parts/notices.js';
import { printable, printedOutput } from '../parts/printable.js';
import { choice } from '../parts/search.js';
import { counting } from '../parts/time.js';
import { leadOn, linkTo } from '../router.js';
import { call, send } from '../wire/api.js';
import { ownerOf } from './containers.js';

const EVERY_MS = 3000;

/** @type {import('../router.js').View} */
export const container = {
  title: ({ id }) => id,
  async show({ main, id, signal }) {
    const { containers } = await call('GET /v1/containers', { signal });
    if (signal.aborted) return;
    const found = containers.find(({ container_id }) => container_id === id);
    const head = h('p', { class: 'crumbs' }, h('a', { href: linkTo('containers') }, 'Containers'));
    if (found === undefined) {
      put(
        main,
        head,
        h('h1', { class: 'id' }, printable(id)),
        h('p', { class: 'empty' }, 'There is no such container any more.'),
      );
      return;
    }
    const { words, link } = ownerOf(found.owner);
    const foreign =
      link === undefined && typeof found.owner === 'object' && found.owner !== null
        ? h(
            'p',
            { class: 'hint' },
            'It is another tenant’s: what it is of can’t be opened with this key, although it is an admin’s.',
          )
        : null;
    put(
      main,
      head,
      h(
        'div',
        { class: 'head' },
        h('h1', { class: 'id' }, printable(id)),
        badge(found.state),
        h(
          'div',
          { class: 'actions' },
          h('button', { type: 'button', class: 'danger', click: () => void killed(id) }, 'Kill…'),
        ),
      ),
      foreign,
      facts([
        ['Owner', link === undefined ? printable(words) : h('a', { href: link }, printable(words))],
        ['For', found.role],
        ['Age', counting('since', found.created_at)],
        ['Ends in', counting('until', found.expires_at)],
      ]),
      logs(id, signal),
    );
  },
};

/**
 * @param {string} id
 * @param {AbortSignal} signal
 */
function logs(id, signal) {
  const text = h('pre', { class: 'output', tabindex: '0', 'aria-label': 'What it printed' });
  const state = { tail: 200 };
  const load = async () => {
    try {
      const answer = await send('GET /v1/containers/{id}/logs', {
        params: { id },
        query: { tail: state.tail },
        signal,
      });
      const printed = printedOutput(await answer.text()) || 'It has printed nothing.';
      if (printed === text.textContent) return;
      const isAtEnd = text.scrollHeight - text.scrollTop - text.clientHeight < 40;
      text.textContent = printed;
      if (isAtEnd) text.scrollTop = text.scrollHeight;
    } catch (error) {
      if (!signal.aborted) text.textContent = reason(error);
    }
  };
  void load();
  const timer = setInterval(() => !document.hidden && void load(), EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  const tails = /** @type {const} */ ([100, 200, 1000]).map(
    (lines) => /** @type {const} */ ([`${lines}`, `last ${lines} lines`]),
  );
  const chooser = choice(
    'How much',
    tails,
    (value) => {
      state.tail = Number(value);
      void load();
    },
    '200',
  );
  return h(
    'section',
    { class: 'card' },
    h('div', { class: 'head' }, h('h2', {}, 'Log'), h('div', { class: 'actions' }, chooser)),
    text,
  );
}

/** @param {string} id */
async function killed(id) {
  const text =
    'It ends at once, whatever it does and whoever it belongs to, and without its files being saved. A conversation gets a new one with the files saved last.';
  if (!(await confirmed({ title: `Kill ${id}?`, text, act: 'Kill it' }))) return;
  await attempt('Could not kill it', async () => {
    await call('DELETE /v1/containers/{id}', { params: { id } });
    notice(`${id} is being ended.`);
    leadOn(linkTo('containers', id), linkTo('containers'));
  });
}
