import { badge, setBadge } from '../parts/badge.js';
import { h } from '../parts/dom.js';
import { listPage, pagesOf } from '../parts/list-page.js';
import { printable } from '../parts/printable.js';
import { counting, setCounting } from '../parts/time.js';
import { linkTo } from '../router.js';
import { call } from '../wire/api.js';
import { live } from '../wire/live.js';
import { openConversation } from './open-conversation.js';

/** @import { Conversation } from '../api-types.js' */

const STATUSES = /** @type {const} */ (['running', 'ready', 'idle', 'preparing', 'draining']);

/** @type {import('../parts/table.js').Column<Conversation>[]} */
const COLUMNS = [
  {
    title: 'Conversation',
    class: 'name',
    make: ({ conversation_id }) =>
      h('a', { href: linkTo('conversations', conversation_id) }, printable(conversation_id)),
  },
  {
    title: 'Status',
    make: ({ status }) => badge(status),
    update: (cell, { status }) => setBadge(cell, status),
  },
  {
    title: 'Ends in',
    class: 'number',
    make: ({ expires_at }) => counting('until', expires_at),
    update: (cell, { status, expires_at }) => setCounting(cell, status === 'running' ? null : expires_at),
  },
  {
    title: 'Age',
    class: 'number',
    make: ({ created_at }) => counting('since', created_at),
    update: (cell, { created_at }) => setCounting(cell, created_at),
  },
  {
    title: 'Container',
    class: 'mono',
    make: () => h('span'),
    update: (cell, { container_id }) => {
      cell.textContent = container_id;
    },
  },
];

/** @type {import('../router.js').View} */
export const conversations = {
  title: () => 'Conversations',
  show(visit) {
    const { query, signal } = visit;
    const { tenant = '', scope } = live.overview ?? {};
    const asked = query.get('status') ?? '';
    /** @type {import('../parts/list-page.js').ListParts<Conversation>} */
    const parts = {
      title: 'Conversations',
      ...(scope === 'admin'
        ? {
            note: `Those of tenant ${tenant} that have a container. Those of all tenants are among the containers.`,
          }
        : {}),
      columns: COLUMNS,
      key: ({ conversation_id }) => conversation_id,
      text: ({ conversation_id, container_id }) => `${conversation_id} ${container_id}`,
      empty: 'No conversation has a container. One comes to be at its first use.',
      filter: {
        label: 'Status',
        options: [['', 'Every status'], ...STATUSES.map((status) => /** @type {const} */ ([status, status]))],
        of: ({ status }) => status,
        chosen: asked,
      },
      load: (enough, filter) =>
        pagesOf(enough, async (limit, cursor) => {
          const status = STATUSES.find((known) => known === filter);
          const page = await call('GET /v1/conversations', { query: { limit, cursor, status }, signal });
          return { items: page.conversations, next: page.next_cursor };
        }),
      changes: () => live.overview?.conversations,
      actions: [h('button', { type: 'button', click: () => void openConversation() }, 'Open…')],
    };
    return listPage(visit, parts);
  },
};
