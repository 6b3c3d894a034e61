import { badge, setBadge } from '../parts/badge.js';
import { h, put } from '../parts/dom.js';
import { listPage } from '../parts/list-page.js';
import { printable } from '../parts/printable.js';
import { counting, setCounting } from '../parts/time.js';
import { linkTo } from '../router.js';
import { call } from '../wire/api.js';
import { live } from '../wire/live.js';

/** @import { Container } from '../api-types.js' */

/**
 * Whose it is, and a link to that where this key may open it.
 * @param {Container['owner']} owner
 */
export function ownerOf(owner) {
  if (owner === null) return { words: 'nobody', link: undefined };
  if (typeof owner === 'string') return { words: owner === 'warm' ? 'warm pool' : owner, link: undefined };
  const isOurs = owner.tenant === live.overview?.tenant;
  const [section, id] =
    'conversation_id' in owner
      ? ['conversations', owner.conversation_id]
      : 'workspace_id' in owner
        ? ['workspaces', owner.workspace_id]
        : ['functions', owner.function_name];
  return { words: `${owner.tenant} / ${id}`, link: isOurs ? linkTo(section, id) : undefined };
}

/** @param {Element} place @param {Container} container */
function showOwner(place, { owner }) {
  const { words, link } = ownerOf(owner);
  if (place.textContent === printable(words)) return;
  put(place, link === undefined ? printable(words) : h('a', { href: link }, printable(words)));
}

/** @type {import('../parts/table.js').Column<Container>[]} */
const COLUMNS = [
  {
    title: 'Container',
    class: 'name',
    make: ({ container_id }) =>
      h('a', { class: 'mono', href: linkTo('containers', container_id) }, container_id),
  },
  { title: 'Owner', make: () => h('span'), update: showOwner },
  { title: 'For', make: ({ role }) => h('span', {}, role) },
  { title: 'State', make: ({ state }) => badge(state), update: (cell, { state }) => setBadge(cell, state) },
  { title: 'Age', class: 'number', make: ({ created_at }) => counting('since', created_at) },
  {
    title: 'Ends in',
    class: 'number',
    make: () => counting('until', null),
    update: (cell, { expires_at }) => setCounting(cell, expires_at),
  },
];

/** @type {import('../router.js').View} */
export const containers = {
  title: () => 'Containers',
  show(visit) {
    return listPage(visit, {
      title: 'Containers',
      note: 'Everything that the backend runs, of all tenants.',
      columns: COLUMNS,
      key: ({ container_id }) => container_id,
      text: ({ container_id, role, owner }) => `${container_id} ${role} ${ownerOf(owner).words}`,
      empty: 'Nothing runs.',
      filter: {
        label: 'For',
        options: [
          ['', 'All'],
          ['conversation', 'Conversations'],
          ['workspace', 'Workspaces'],
          ['function', 'Functions'],
        ],
        of: ({ role }) => role,
      },
      load: async () => {
        const { containers: items } = await call('GET /v1/containers', { signal: visit.signal });
        return { items, more: false };
      },
      changes: () => [
        live.overview?.containers,
        live.overview?.conversations,
        live.overview?.functions,
        live.overview?.workspaces,
      ],
    });
  },
};
