import { badge, setBadge } from '../parts/badge.js';
import { containerLink } from '../parts/container-link.js';
import { confirmed } from '../parts/dialogs.js';
import { h, put, say } from '../parts/dom.js';
import { card, facts } from '../parts/facts.js';
import { attempt, notice } from '../parts/notices.js';
import { printable } from '../parts/printable.js';
import { clockTime, counting, setCounting, span } from '../parts/time.js';
import { linkTo } from '../router.js';
import { ApiError, call } from '../wire/api.js';
import { lastingEvents } from '../wire/events.js';
import { live } from '../wire/live.js';
import { nextEnd } from './workspaces.js';

/** @import { Workspace } from '../api-types.js' */

/** @type {import('../router.js').View} */
export const workspace = {
  title: ({ id }) => id,
  async show({ main, id, signal }) {
    const status = badge('');
    const problem = h('p', { class: 'problem', role: 'alert' });
    const progress = h('p', { class: 'hint', role: 'status' });
    const rests = counting('until', null);
    const used = counting('since', null);
    const age = counting('since', null);
    const names = {
      wanted: h('span'),
      image: h('code'),
      name: h('span'),
      address: h('code'),
      container: h('span'),
      ttl: h('span'),
    };
    const log = h('ol', { class: 'events', 'aria-label': 'What happened', tabindex: '0' });
    const acts = actions(id);
    put(
      main,
      h('p', { class: 'crumbs' }, h('a', { href: linkTo('workspaces') }, 'Workspaces')),
      h('div', { class: 'head' }, h('h1', { class: 'id' }, printable(id)), status, acts.element),
      problem,
      progress,
      facts([
        ['Name', names.name],
        ['Wanted', names.wanted],
        ['Rests in', rests],
        ['Last used', used],
        ['Age', age],
        ['Times to live', names.ttl],
        ['Image', names.image],
        ['Address', names.address],
        ['Container', names.container],
      ]),
      card('As it happens', log),
    );
    const note = (/** @type {string} */ what, /** @type {string} */ look) => {
      const at = h('time', { class: 'hint' }, clockTime(Date.now()));
      log.prepend(h('li', { class: 'event', 'data-look': look }, at, h('span', {}, printable(what))));
      while (log.childElementCount > 200) log.lastElementChild?.remove();
    };
    const show = (/** @type {Workspace} */ now) => {
      setBadge(status, now.observed_status);
      say(
        problem,
        now.error === null
          ? ''
          : printable(`${now.error.code}: ${now.error.message} (${now.error.count} times)`),
      );
      say(
        progress,
        now.operation === 'NONE' ? '' : printable(`${now.operation.toLowerCase()}: ${now.progress ?? ''}`),
      );
      say(names.name, printable(now.name ?? '–'));
      say(names.wanted, now.desired_state);
      say(names.image, printable(now.image_ref));
      say(names.address, now.url);
      put(names.container, now.observed_status === 'RUNNING' ? containerLink(`ws-${id}`) : '–');
      const archive =
        now.archive_ttl_seconds === null
          ? 'never archived'
          : `archived after ${span(now.archive_ttl_seconds)}`;
      say(names.ttl, `STANDBY after ${span(now.standby_ttl_seconds)}, ${archive}`);
      setCounting(rests, nextEnd(now));
      setCounting(used, now.last_access_at);
      setCounting(age, now.created_at);
      acts.update(now);
    };
    try {
      show(await call('GET /v1/workspaces/{id}', { params: { id }, signal }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return showMissing(main, id);
      throw error;
    }
    void follow(id, signal, show, note);
  },
};

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @param {(now: Workspace) => void} show
 * @param {(what: string, look: string) => void} note
 */
async function follow(id, signal, show, note) {
  let over = false;
  let status = '';
  try {
    const stream = lastingEvents('GET /v1/workspaces/{id}/events', {
      request: () => ({ params: { id } }),
      signal,
      over: () => over,
    });
    for await (const { event, data } of stream) {
      if (event === 'progress') note(`${data.operation.toLowerCase()}: ${data.message}`, 'calm');
      else if (event === 'error') note(`${data.code}: ${data.message}`, 'bad');
      else {
        show(data);
        over = data.observed_status === 'DELETED';
        const now = `${data.observed_status}${data.operation === 'NONE' ? '' : `, ${data.operation.toLowerCase()}`}`;
        if (now !== status) note(now, over ? 'warn' : 'good');
        status = now;
      }
    }
  } catch (error) {
    if (!signal.aborted)
      note(error instanceof ApiError && error.status === 404 ? 'It is deleted.' : `${error}`, 'warn');
  }
}

/** @param {string} id */
function actions(id) {
  const params = { id };
  const desire = (/** @type {'RUNNING' | 'STANDBY'} */ desired_state, /** @type {string} */ done) =>
    attempt('Could not do it', async () => {
      await call('PATCH /v1/workspaces/{id}', { params, body: { desired_state } });
      notice(done);
    });
  const open = h('button', { type: 'button', class: 'main', click: () => void opened(id) }, 'Open');
  const wake = h(
    'button',
    { type: 'button', click: () => void desire('RUNNING', `${id} is being started.`) },
    'Wake',
  );
  const stop = h('button', { type: 'button', click: () => void stopped() }, 'Stop…');
  const retry = h('button', { type: 'button', click: () => void retried() }, 'Retry');
  const remove = h('button', { type: 'button', class: 'danger', click: () => void deleted() }, 'Delete…');
  const stopped = async () => {
    const text = 'What runs in it ends. Its home stays, and it is started again when somebody comes.';
    if (await confirmed({ title: `Stop ${id}?`, text, act: 'Stop it' }))
      await desire('STANDBY', `${id} is being stopped.`);
  };
  const retried = () =>
    attempt('Could not try again', async () => {
      await call('POST /v1/workspaces/{id}/retry', { params });
      notice(`${id} is tried again.`);
    });
  const deleted = async () => {
    const text =
      'Its container goes, then its home; two hours later its archives. It can’t be had back, and its id is never used again.';
    if (!(await confirmed({ title: `Delete ${id}?`, text, act: 'Delete it', name: id }))) return;
    await attempt('Could not delete it', async () => {
      await call('DELETE /v1/workspaces/{id}', { params });
      notice(`${id} is being deleted.`);
    });
  };
  return {
    element: h('div', { class: 'actions' }, open, wake, stop, retry, remove),
    /** @param {Workspace} now */
    update({ observed_status, desired_state, error, delete_requested_at }) {
      const isGoing = delete_requested_at !== null || observed_status === 'DELETED';
      for (const button of [open, remove]) button.hidden = isGoing;
      wake.hidden = isGoing || desired_state === 'RUNNING';
      stop.hidden = isGoing || desired_state !== 'RUNNING';
      retry.hidden = isGoing || error === null;
    },
  };
}

/** @param {string} id */
async function opened(id) {
  // At once, as the user's own click: later a browser would take it for a pop-up.
  const tab = open('about:blank', '_blank');
  const made = await attempt('Could not open it', async () => {
    const { url } = await call('POST /v1/workspaces/{id}/sessions', { params: { id } });
    if (!/^https?:\/\//.test(url)) throw new Error('Its address is none of the web.');
    if (tab === null) throw new Error('The browser opens no new tab: allow that for this page.');
    tab.opener = null;
    tab.location.href = url;
  });
  if (!made) tab?.close();
}

/**
 * @param {Element} main
 * @param {string} id
 */
function showMissing(main, id) {
  const { tenant = '', scope } = live.overview ?? {};
  const others =
    scope === 'admin' ? ' Another tenant’s can’t be opened with this key, although it is an admin’s.' : '';
  put(
    main,
    h('p', { class: 'crumbs' }, h('a', { href: linkTo('workspaces') }, 'Workspaces')),
    h('h1', { class: 'id' }, printable(id)),
    h('p', { class: 'empty' }, `Tenant ${tenant} has no workspace of this id.${others}`),
  );
}
