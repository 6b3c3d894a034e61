import { Chart } from '../parts/chart.js';
import { h, keep, put, say } from '../parts/dom.js';
import { card } from '../parts/facts.js';
import { printable } from '../parts/printable.js';
import { ShareBar } from '../parts/share-bar.js';
import { Table } from '../parts/table.js';
import { counting, milliseconds, setCounting } from '../parts/time.js';
import { linkTo } from '../router.js';
import { live } from '../wire/live.js';

/** @import { FunctionOverview, Overview, OverviewProblem } from '../api-types.js' */

/** @type {import('../router.js').View} */
export const overview = {
  title: () => 'Overview',
  show({ main, signal }) {
    const headline = h('h1', {}, 'Overview');
    const problems = h('ul', { class: 'problems', 'aria-label': 'Problems' });
    const tiles = h('div', { class: 'tiles' });
    const grid = h('div', { class: 'grid' });
    const foot = h('p', { class: 'hint' });
    put(main, headline, problems, tiles, grid, foot);
    /** @type {((seen: Overview) => void)[] | undefined} */
    let updates;
    live.listen(signal, (seen) => {
      updates ??= build(seen, tiles, grid);
      say(headline, headlineOf(seen));
      showProblems(problems, seen);
      for (const update of updates) update(seen);
      say(foot, footOf(seen));
    });
    if (live.overview === undefined) say(foot, 'Looking…');
  },
};

/** @param {Overview} seen */
function headlineOf({ problems }) {
  if (problems.length === 0) return 'All is well';
  return problems.length === 1 ? '1 problem' : `${problems.length} problems`;
}

/** @param {Overview} seen */
function footOf({ version, backend, instance, stale }) {
  const old =
    stale.length === 0 ? '' : ` Could not look at ${stale.join(', ')} just now: figures are from before.`;
  return `Berth ${version} on ${backend}. Executions, waits and refusals are those of instance ${instance}.${old}`;
}

/**
 * @param {Element} list
 * @param {Overview} seen
 */
function showProblems(list, { problems, scope }) {
  keep(list, problems, {
    key: ({ text, tenant }) => `${tenant} ${text}`,
    make: (problem) => {
      const link = linkOf(problem, scope);
      const text = printable(problem.text);
      const tenant =
        scope === 'admin' && problem.tenant !== null && h('span', { class: 'hint' }, ` ${problem.tenant}`);
      return h(
        'li',
        { 'data-look': problem.severity === 'critical' ? 'bad' : 'warn' },
        h('b', {}, problem.severity === 'critical' ? 'Critical' : 'Warning'),
        h('span', {}, link === undefined ? text : h('a', { href: link }, text), tenant),
      );
    },
    update: () => {},
  });
}

/**
 * @param {OverviewProblem} problem
 * @param {string} scope
 */
function linkOf({ target, tenant }, scope) {
  if (target === null) return scope === 'admin' ? linkTo('operations') : undefined;
  if (!('id' in target)) return linkTo(target.kind === 'pool' ? 'operations' : 'containers');
  // Another tenant's can't be opened; its container can be seen.
  if (tenant !== live.overview?.tenant) return linkTo('containers');
  return linkTo(`${target.kind}s`, target.id);
}

/**
 * @param {Overview} first
 * @param {Element} tiles
 * @param {Element} grid
 * @returns {((seen: Overview) => void)[]}
 */
function build(first, tiles, grid) {
  const parts = [
    conversationsTile(),
    ...(first.scope === 'admin' ? [poolTile()] : []),
    executionsTile(),
    waitsTile(),
  ];
  tiles.append(...parts.map(({ element }) => element));
  const panels = [
    ...(first.scope === 'admin' ? [poolChart()] : []),
    executionsChart(),
    functionsPanel(first.scope === 'admin'),
    workspacesPanel(),
    refusalsPanel(first.scope === 'admin'),
    ...(first.scope === 'admin' ? [dependenciesPanel()] : []),
  ];
  grid.append(...panels.map(({ element }) => element));
  return [...parts, ...panels].map(({ update }) => update);
}

/** @typedef {{ element: Element, update: (seen: Overview) => void }} Panel */

/** @returns {Panel} */
function conversationsTile() {
  const figure = h('p', { class: 'figure' });
  const bar = new ShareBar();
  return {
    element: card('Conversations', figure, bar.element),
    update({ conversations }) {
      const looks = { running: 'busy', ready: 'good', idle: 'calm', preparing: 'warn', draining: 'leaving' };
      const parts = /** @type {(keyof typeof looks)[]} */ (Object.keys(looks)).map((name) => ({
        name,
        look: looks[name],
        count: conversations[name],
        href: `${linkTo('conversations')}?status=${name}`,
      }));
      say(
        figure,
        parts.reduce((sum, { count }) => sum + count, 0),
      );
      bar.update(parts);
    },
  };
}

/** @returns {Panel} */
function poolTile() {
  const figure = h('p', { class: 'figure' });
  const words = h('p', { class: 'hint' });
  const room = h('p', { class: 'hint' });
  return {
    element: card('Warm pool', figure, words, room),
    update({ pool, containers }) {
      if (pool === null) return;
      put(figure, `${pool.warm}`, h('small', {}, ` of ${pool.target}`));
      const off =
        pool.max_size === 0
          ? 'It is switched off.'
          : `${pool.starting} starting, between ${pool.min_size} and ${pool.max_size}.`;
      say(words, off);
      say(room, containers === null ? '' : `${containers.used} of ${containers.limit} containers in use.`);
    },
  };
}

/** @returns {Panel} */
function executionsTile() {
  const figure = h('p', { class: 'figure' });
  const bar = new ShareBar();
  return {
    element: card('Executions, last hour', figure, bar.element),
    update({ executions }) {
      const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);
      const parts = OUTCOMES.map(({ name, look }) => ({ name, look, count: sum(executions[name]) }));
      say(figure, sum(parts.map(({ count }) => count)));
      bar.update(parts);
    },
  };
}

/** @returns {Panel} */
function waitsTile() {
  const table = h('tbody');
  const none = h('p', { class: 'empty' }, 'No conversation has asked for a container within the last hour.');
  const heads = ['Container', 'p50', 'p99'].map((title) => h('th', { scope: 'col' }, title));
  const whole = h('table', { class: 'plain figures' }, h('thead', {}, h('tr', {}, ...heads)), table);
  const words = { existing: 'its own', warm: 'warm', cold: 'new' };
  return {
    element: card('Wait for a container', whole, none),
    update({ acquire }) {
      none.hidden = acquire.length > 0;
      whole.hidden = acquire.length === 0;
      keep(table, acquire, {
        key: ({ source }) => source,
        make: ({ source }) =>
          h('tr', {}, h('th', { scope: 'row' }, words[source], h('small')), h('td'), h('td')),
        update: (row, { p50_ms, p99_ms, count }) => {
          const [name, p50, p99] = row.children;
          const times = name?.querySelector('small');
          if (times) say(times, ` × ${count}`);
          if (p50) say(p50, milliseconds(p50_ms));
          if (p99) say(p99, milliseconds(p99_ms));
        },
      });
    },
  };
}

/** @returns {Panel} */
function poolChart() {
  const chart = new Chart('Warm pool, last hour', 'lines');
  return {
    element: card('Warm pool, last hour', chart.element),
    update({ pool }) {
      if (pool === null) return;
      const { since, step_seconds, warm, starting, target } = pool.history;
      // A young service has less than an hour to show: what was before it is a gap.
      const before = Math.max(0, 3600 / step_seconds - warm.length);
      const whole = (/** @type {(number | null)[]} */ values) => [...new Array(before).fill(null), ...values];
      chart.update({
        since: new Date(Date.parse(since) - before * step_seconds * 1000).toISOString(),
        step_seconds,
        series: [
          { name: 'warm', look: 'good', values: whole(warm) },
          { name: 'starting', look: 'warn', values: whole(starting) },
          { name: 'target', look: 'calm', values: whole(target), dashed: true },
        ],
      });
    },
  };
}

const OUTCOMES = /** @type {const} */ ([
  { name: 'completed', look: 'good' },
  { name: 'failed', look: 'bad' },
  { name: 'cancelled', look: 'calm' },
  { name: 'lost', look: 'warn' },
]);

/** @returns {Panel} */
function executionsChart() {
  const chart = new Chart('Executions a minute', 'bars');
  return {
    element: card('Executions a minute', chart.element),
    update({ executions }) {
      const { since, step_seconds } = executions;
      chart.update({
        since,
        step_seconds,
        series: OUTCOMES.map(({ name, look }) => ({ name, look, values: executions[name] })),
      });
    },
  };
}

/**
 * @param {boolean} isAdmin
 * @returns {Panel}
 */
function functionsPanel(isAdmin) {
  /** @type {import('../parts/table.js').Column<FunctionOverview>[]} */
  const columns = [
    {
      title: 'Function',
      make: ({ name, tenant }) =>
        tenant === live.overview?.tenant
          ? h('a', { href: linkTo('functions', name) }, printable(name))
          : h('span', {}, printable(name)),
    },
    ...(isAdmin
      ? [{ title: 'Tenant', make: (/** @type {FunctionOverview} */ { tenant }) => h('span', {}, tenant) }]
      : []),
    {
      title: 'Workers',
      make: () => h('span'),
      update: (cell, { workers, max_capacity }) =>
        say(
          cell,
          `${workers.busy} busy, ${workers.idle + workers.paused} free, ${workers.provisioning} starting, of ${max_capacity}`,
        ),
    },
    {
      title: 'Waiting',
      class: 'number',
      make: () => h('span'),
      update: (cell, { waiting }) => say(cell, waiting),
    },
  ];
  const table = new Table('Functions', {
    columns,
    key: ({ tenant, name }) => `${tenant}/${name}`,
    empty: 'No function is defined.',
  });
  return {
    element: card('Functions', table.element),
    update: ({ functions }) => table.update(functions.slice(0, 20)),
  };
}

/** @returns {Panel} */
function workspacesPanel() {
  const bar = new ShareBar();
  const none = h('p', { class: 'empty' });
  return {
    element: card('Workspaces', bar.element, none),
    update({ workspaces }) {
      const counts = workspaces?.by_status ?? {};
      const looks = /** @type {const} */ ({
        RUNNING: 'good',
        STANDBY: 'calm',
        PENDING: 'leaving',
        ERROR: 'bad',
      });
      const names = /** @type {(keyof typeof looks)[]} */ (Object.keys(looks));
      bar.update(names.map((name) => ({ name, look: looks[name], count: counts[name] ?? 0 })));
      bar.element.hidden = workspaces === null;
      say(none, workspaces === null ? 'This backend has none.' : '');
    },
  };
}

/** @typedef {NonNullable<Overview['egress']['recent']>[number]} Refusal */

/**
 * @param {boolean} isAdmin
 * @returns {Panel}
 */
function refusalsPanel(isAdmin) {
  const total = h('p', { class: 'hint' });
  const table = refusalTable(isAdmin);
  return {
    element: card('Refused by the egress proxy', total, table.element),
    update({ egress }) {
      table.element.hidden = egress.recent === null;
      table.update((egress.recent ?? []).slice(0, 10));
      const known = egress.refused_total === null ? '' : `${egress.refused_total} since the start. `;
      say(total, egress.recent === null ? `${known}Proxies beside containers tell only how many.` : known);
    },
  };
}

/**
 * @param {boolean} withOwner
 * @returns {Table<Refusal>}
 */
export function refusalTable(withOwner) {
  /** @type {import('../parts/table.js').Column<Refusal>} */
  const owner = {
    title: 'By',
    make: ({ conversation_id, container_id, tenant }) => {
      const name = printable(conversation_id ?? container_id);
      const isOurs = conversation_id !== null && tenant === live.overview?.tenant;
      return isOurs
        ? h('a', { href: linkTo('conversations', conversation_id, 'egress') }, name)
        : h('span', {}, tenant === null ? name : `${name} (${tenant})`);
    },
  };
  return new Table('Refusals', {
    columns: [
      {
        title: 'To',
        make: ({ host, port }) =>
          h('span', { class: 'mono' }, host === null ? '?' : printable(`${host}:${port ?? ''}`)),
      },
      { title: 'Why', make: ({ reason }) => h('span', {}, reason.replaceAll('_', ' ')) },
      ...(withOwner ? [owner] : []),
      {
        title: 'Ago',
        class: 'number',
        make: ({ at }) => counting('since', at),
        update: (cell, { at }) => setCounting(cell, at),
      },
    ],
    key: ({ at, container_id, host, port }) => `${at} ${container_id} ${host} ${port}`,
    empty: 'Nothing was refused lately.',
  });
}

/** @returns {Panel} */
function dependenciesPanel() {
  const list = h('ul', { class: 'dependencies' });
  return {
    element: card('What it stands on', list),
    update({ dependencies }) {
      keep(list, dependencies ?? [], {
        key: ({ name }) => name,
        make: ({ name }) =>
          h('li', {}, h('i', { class: 'swatch' }), h('b', {}, name), h('span', { class: 'hint' })),
        update: (item, { ready, detail }) => {
          const [swatch, , words] = item.children;
          if (swatch) swatch.className = `swatch ${ready ? 'good' : 'bad'}`;
          if (words) say(words, printable(detail));
        },
      });
    },
  };
}
