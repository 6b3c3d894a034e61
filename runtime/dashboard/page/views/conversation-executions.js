import { badge, setBadge } from '../parts/badge.js';
import { confirmed } from '../parts/dialogs.js';
import { h, put, say } from '../parts/dom.js';
import { EventView } from '../parts/event-view.js';
import { attempt, notice, reason } from '../parts/notices.js';
import { Table } from '../parts/table.js';
import { counting, setCounting, span } from '../parts/time.js';
import { linkTo } from '../router.js';
import { call } from '../wire/api.js';
import { lastingEvents } from '../wire/events.js';

/** @import { Execution } from '../api-types.js' */
/** @import { Visit } from '../router.js' */

const EVERY_MS = 2000;

/**
 * What it ran, and what one of it does, as it does it.
 * @param {Visit} visit
 */
export async function executionsTab({ main, id, query, signal }) {
  const watched = h('div');
  let chosen = query.get('execution') ?? '';
  let leaving = new AbortController();
  const watch = (/** @type {string} */ execution) => {
    leaving.abort();
    leaving = new AbortController();
    chosen = execution;
    void watchExecution(watched, id, execution, AbortSignal.any([signal, leaving.signal]));
  };
  const table = new Table('Executions', {
    key: ({ execution_id }) => execution_id,
    empty: 'Nothing was run here yet, or it was forgotten.',
    columns: columns(id),
  });
  put(main, h('div', { class: 'card list' }, table.element), watched);

  const load = async () => {
    const { executions } = await call('GET /v1/conversations/{id}/executions', { params: { id }, signal });
    table.update(executions);
    // Whoever comes to see what goes on sees it at once.
    if (chosen === '')
      chosen =
        executions.find(({ status }) => status === 'running')?.execution_id ??
        executions[0]?.execution_id ??
        '';
    return executions;
  };
  await load();
  if (signal.aborted) return;
  if (chosen !== '') watch(chosen);
  const timer = setInterval(() => {
    if (document.hidden) return;
    const before = chosen;
    load().then(
      () => chosen !== before && watch(chosen),
      () => {}, // the frame tells that the service is away
    );
  }, EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/**
 * @param {string} conversation
 * @returns {import('../parts/table.js').Column<Execution>[]}
 */
function columns(conversation) {
  return [
    {
      title: 'Execution',
      class: 'name',
      make: ({ execution_id }) =>
        h(
          'a',
          {
            class: 'mono',
            href: `${linkTo('conversations', conversation)}?execution=${encodeURIComponent(execution_id)}`,
          },
          execution_id,
        ),
    },
    {
      title: 'Status',
      make: ({ status }) => badge(status),
      update: (cell, { status }) => setBadge(cell, status),
    },
    { title: 'Began', class: 'number', make: ({ started_at }) => counting('since', started_at) },
    {
      title: 'Took',
      class: 'number',
      make: () => h('span'),
      update: (cell, { started_at, ended_at }) =>
        say(cell, ended_at === null ? '–' : span((Date.parse(ended_at) - Date.parse(started_at)) / 1000)),
    },
    {
      title: 'Must end in',
      class: 'number',
      make: () => counting('until', null),
      update: (cell, { status, deadline }) => setCounting(cell, status === 'running' ? deadline : null),
    },
  ];
}

/**
 * @param {Element} place
 * @param {string} id
 * @param {string} execution_id
 * @param {AbortSignal} signal
 */
export async function watchExecution(place, id, execution_id, signal) {
  const events = new EventView();
  const params = { id, execution_id };
  const cancel = h(
    'button',
    { type: 'button', class: 'danger', click: () => void cancelled(params) },
    'Cancel…',
  );
  put(
    place,
    h(
      'section',
      { class: 'card' },
      h(
        'div',
        { class: 'head' },
        h('h2', {}, 'Events of ', h('code', {}, execution_id)),
        h('div', { class: 'actions' }, cancel),
      ),
      events.element,
    ),
  );
  let after = 0;
  let over = false;
  try {
    const stream = lastingEvents('GET /v1/conversations/{id}/executions/{execution_id}/events', {
      request: () => ({ params, query: { after } }),
      signal,
      over: () => over,
    });
    for await (const event of stream) {
      after = event.data.seq ?? after;
      over = event.event === 'done' || event.event === 'error';
      events.add(event);
      if (over) break;
    }
  } catch (error) {
    if (!signal.aborted) events.end(reason(error), 'bad');
  }
  cancel.hidden = true;
}

/** @param {{ id: string, execution_id: string }} params */
async function cancelled(params) {
  const sure = await confirmed({
    title: 'Cancel this execution?',
    text: 'What it runs is ended. What it has done to its files stays.',
    act: 'Cancel it',
  });
  if (!sure) return;
  await attempt('Could not cancel it', async () => {
    await call('POST /v1/conversations/{id}/executions/{execution_id}/cancel', { params });
    notice('It is being cancelled.');
  });
}
