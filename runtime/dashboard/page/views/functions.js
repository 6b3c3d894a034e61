import { h, say } from '../parts/dom.js';
import { listPage, pagesOf } from '../parts/list-page.js';
import { printable } from '../parts/printable.js';
import { counting } from '../parts/time.js';
import { linkTo } from '../router.js';
import { call } from '../wire/api.js';
import { live } from '../wire/live.js';

/** @import { Defined } from '../api-types.js' */

/** @param {string} name */
export const workersOf = (name) =>
  live.overview?.functions.find((each) => each.name === name && each.tenant === live.overview?.tenant);

/** @type {import('../parts/table.js').Column<Defined>[]} */
const COLUMNS = [
  {
    title: 'Function',
    class: 'name',
    make: ({ name }) => h('a', { href: linkTo('functions', name) }, printable(name)),
  },
  {
    title: 'Image',
    make: () => h('span', { class: 'mono' }),
    update: (cell, { image, task_definition }) => say(cell, printable(image ?? task_definition ?? '')),
  },
  {
    title: 'Busy',
    class: 'number',
    make: () => h('span'),
    update: (cell, { name }) => say(cell, workersOf(name)?.workers.busy ?? 0),
  },
  {
    title: 'Free',
    class: 'number',
    make: () => h('span'),
    update: (cell, { name }) => {
      const { idle = 0, paused = 0 } = workersOf(name)?.workers ?? {};
      say(cell, idle + paused);
    },
  },
  {
    title: 'Waiting',
    class: 'number',
    make: () => h('span'),
    update: (cell, { name }) => say(cell, workersOf(name)?.waiting ?? 0),
  },
  {
    title: 'Workers',
    class: 'number',
    make: () => h('span'),
    update: (cell, { scaling }) => say(cell, `${scaling.min_capacity} to ${scaling.max_capacity}`),
  },
  { title: 'Age', class: 'number', make: ({ created_at }) => counting('since', created_at) },
];

/** @type {import('../router.js').View} */
export const functions = {
  title: () => 'Functions',
  show(visit) {
    const { tenant = '', scope } = live.overview ?? {};
    return listPage(visit, {
      title: 'Functions',
      ...(scope === 'admin'
        ? { note: `Those of tenant ${tenant}. Those of all tenants are on the overview.` }
        : {}),
      columns: COLUMNS,
      key: ({ name }) => name,
      text: ({ name, image, task_definition }) => `${name} ${image ?? ''} ${task_definition ?? ''}`,
      empty: 'No function is defined. PUT /v1/functions/{name} defines one.',
      load: (enough) =>
        pagesOf(enough, async (limit, cursor) => {
          const page = await call('GET /v1/functions', { query: { limit, cursor }, signal: visit.signal });
          return { items: page.functions, next: page.next_cursor };
        }),
      changes: () => live.overview?.functions,
    });
  },
};
