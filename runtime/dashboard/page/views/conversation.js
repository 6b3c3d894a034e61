import { badge, setBadge } from '../parts/badge.js';
import { containerLink } from '../parts/container-link.js';
import { confirmed } from '../parts/dialogs.js';
import { h, put } from '../parts/dom.js';
import { facts } from '../parts/facts.js';
import { attempt, notice } from '../parts/notices.js';
import { printable } from '../parts/printable.js';
import { tabLinks } from '../parts/tabs.js';
import { counting, setCounting } from '../parts/time.js';
import { linkTo } from '../router.js';
import { ApiError, call } from '../wire/api.js';
import { live } from '../wire/live.js';
import { egressTab } from './conversation-egress.js';
import { executionsTab } from './conversation-executions.js';
import { filesTab } from './conversation-files.js';
import { runTab } from './conversation-run.js';
import { terminalTab } from './conversation-terminal.js';

/** @import { Conversation } from '../api-types.js' */
/** @import { Visit } from '../router.js' */

const TABS = /** @type {const} */ ([
  ['', 'Executions', executionsTab],
  ['run', 'Run', runTab],
  ['files', 'Files', filesTab],
  ['egress', 'Egress', egressTab],
  ['terminal', 'Terminal', terminalTab],
]);

const EVERY_MS = 3000;

/** @type {import('../router.js').View} */
export const conversation = {
  title: ({ id }) => id,
  async show(visit) {
    const { main, id, signal } = visit;
    const chosen = TABS.find(([name]) => name === visit.tab) ?? TABS[0];
    const head = new Head(id);
    const body = h('div', { class: 'tab' });
    const links = TABS.map(([name, title]) => /** @type {const} */ ([name, title]));
    // The new head knows the record before the old one goes: nothing jumps.
    await head.refresh(signal);
    if (signal.aborted) return;
    put(main, head.element, tabLinks('conversations', id, links, chosen[0]), body);
    const timer = setInterval(() => !document.hidden && void head.refresh(signal), EVERY_MS);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    await chosen[2]({ ...visit, main: body });
  },
};

/** Its name, how it is, and what can be done with it as a whole. */
class Head {
  #id;
  #badge = badge('');
  #note = h('p', { class: 'hint' });
  #facts = h('div');
  #container = h('span');
  #age = counting('since', null);
  #ends = counting('until', null);
  #saved = h('code');
  #actions = h('div', { class: 'actions' });
  element;

  /** @param {string} id */
  constructor(id) {
    this.#id = id;
    put(
      this.#actions,
      h('button', { type: 'button', class: 'danger', click: () => void this.#delete(false) }, 'Delete…'),
      h('button', { type: 'button', class: 'danger', click: () => void this.#delete(true) }, 'Purge…'),
    );
    put(
      this.#facts,
      facts([
        ['Container', this.#container],
        ['Age', this.#age],
        ['Ends in', this.#ends],
        ['Files saved as', this.#saved],
      ]),
    );
    this.element = h(
      'div',
      {},
      h('p', { class: 'crumbs' }, h('a', { href: linkTo('conversations') }, 'Conversations')),
      h('div', { class: 'head' }, h('h1', { class: 'id' }, printable(id)), this.#badge, this.#actions),
      this.#note,
      this.#facts,
    );
  }

  /** @param {AbortSignal} signal */
  async refresh(signal) {
    try {
      this.#show(await call('GET /v1/conversations/{id}', { params: { id: this.#id }, signal }));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      this.#showGone();
    }
  }

  /** @param {Conversation} record */
  #show(record) {
    this.#facts.hidden = false;
    setBadge(this.#badge, record.status);
    this.#badge.hidden = false;
    put(this.#note);
    if (this.#container.textContent !== record.container_id)
      put(this.#container, containerLink(record.container_id));
    setCounting(this.#age, record.created_at);
    setCounting(this.#ends, record.status === 'running' ? null : record.expires_at);
    this.#saved.textContent = record.saved_version?.slice(0, 12) ?? 'not yet';
  }

  #showGone() {
    this.#facts.hidden = true;
    this.#badge.hidden = true;
    const { tenant = '', scope } = live.overview ?? {};
    const others =
      scope === 'admin'
        ? ' Another tenant’s conversations can’t be opened with this key, although it is an admin’s: of those, it sees the containers.'
        : '';
    put(
      this.#note,
      `No conversation of this name has a container in tenant ${tenant} now. What it saved is still under Files; its next use gives it a container.${others}`,
    );
  }

  /** @param {boolean} purge */
  async #delete(purge) {
    const id = this.#id;
    const sure = await confirmed(
      purge
        ? {
            title: `Purge ${id}?`,
            text: 'Its container goes at once, and all its saved files with it. They can’t be had back.',
            act: 'Purge it',
            name: id,
          }
        : {
            title: `Delete ${id}?`,
            text: 'It drains: what it does is waited for, then cancelled; its files are saved; then its container goes. Its next use gets them back.',
            act: 'Delete it',
          },
    );
    if (!sure) return;
    await attempt(purge ? 'Could not purge it' : 'Could not delete it', async () => {
      await call('DELETE /v1/conversations/{id}', {
        params: { id },
        query: { purge: purge ? 'true' : 'false' },
      });
      notice(purge ? `${id} and its files are going.` : `${id} is draining.`);
    });
  }
}

/** @typedef {(visit: Visit) => void | Promise<void>} Tab */
