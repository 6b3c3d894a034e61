import { badge, setBadge } from '../parts/badge.js';
import { asked } from '../parts/dialogs.js';
import { h, say } from '../parts/dom.js';
import { listPage, pagesOf } from '../parts/list-page.js';
import { attempt } from '../parts/notices.js';
import { printable } from '../parts/printable.js';
import { counting, setCounting } from '../parts/time.js';
import { linkTo } from '../router.js';
import { call } from '../wire/api.js';
import { live } from '../wire/live.js';

/** @import { Workspace } from '../api-types.js' */

/** When it is put to STANDBY, or archived, if nobody comes. */
/** @param {Workspace} workspace */
export function nextEnd({ observed_status, last_access_at, standby_ttl_seconds, archive_ttl_seconds }) {
  const seconds =
    observed_status === 'RUNNING'
      ? standby_ttl_seconds
      : observed_status === 'STANDBY'
        ? archive_ttl_seconds
        : null;
  return seconds === null ? null : new Date(Date.parse(last_access_at) + seconds * 1000).toISOString();
}

/** @type {import('../parts/table.js').Column<Workspace>[]} */
const COLUMNS = [
  {
    title: 'Workspace',
    class: 'name',
    make: ({ id }) => h('a', { href: linkTo('workspaces', id) }, printable(id)),
  },
  { title: 'Name', make: () => h('span'), update: (cell, { name }) => say(cell, printable(name ?? '')) },
  {
    title: 'Status',
    make: ({ observed_status }) => badge(observed_status),
    update: (cell, { observed_status }) => setBadge(cell, observed_status),
  },
  {
    title: 'Doing',
    make: () => h('span'),
    update: (cell, { operation }) => say(cell, operation === 'NONE' ? '' : operation.toLowerCase()),
  },
  {
    title: 'Rests in',
    class: 'number',
    make: () => counting('until', null),
    update: (cell, workspace) => setCounting(cell, nextEnd(workspace)),
  },
  { title: 'Age', class: 'number', make: ({ created_at }) => counting('since', created_at) },
];

/** @type {import('../router.js').View} */
export const workspaces = {
  title: () => 'Workspaces',
  show(visit) {
    const { signal } = visit;
    const { tenant = '', scope } = live.overview ?? {};
    return listPage(visit, {
      title: 'Workspaces',
      ...(scope === 'admin' ? { note: `Those of tenant ${tenant}.` } : {}),
      columns: COLUMNS,
      key: ({ id }) => id,
      text: ({ id, name, image_ref }) => `${id} ${name ?? ''} ${image_ref}`,
      empty: 'There is no workspace yet.',
      filter: {
        label: 'Status',
        options: [
          ['', 'Every status'],
          ['RUNNING', 'RUNNING'],
          ['STANDBY', 'STANDBY'],
          ['PENDING', 'PENDING'],
          ['ERROR', 'ERROR'],
        ],
        of: ({ observed_status }) => observed_status,
      },
      load: (enough) =>
        pagesOf(enough, async (limit, cursor) => {
          const page = await call('GET /v1/workspaces', { query: { limit, cursor }, signal });
          return { items: page.workspaces, next: page.next_cursor };
        }),
      changes: () => live.overview?.workspaces,
      actions: [h('button', { type: 'button', class: 'main', click: () => void create() }, 'New…')],
    });
  },
};

async function create() {
  const input = h('input', {
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    pattern: '[a-z0-9]([a-z0-9\\-]*[a-z0-9])?',
    title: 'Small letters, digits and -',
    placeholder: 'made for you',
  });
  const content = [h('label', {}, h('span', {}, 'Id, which is never used again'), input)];
  const answer = await asked(
    'New workspace',
    content,
    h('button', { value: 'go', class: 'main' }, 'Make it'),
  );
  if (answer !== 'go') return;
  await attempt('Could not make it', async () => {
    const body = input.value === '' ? {} : { id: input.value };
    const { id } = await call('POST /v1/workspaces', { body });
    location.hash = linkTo('workspaces', id);
  });
}
