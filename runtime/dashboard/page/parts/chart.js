import { h, put, say, svg } from './dom.js';
import { clockTime } from './time.js';

/**
 * @typedef {{ name: string, look: string, values: readonly (number | null)[], dashed?: boolean }} Series
 * @typedef {{ since: string, step_seconds: number, series: Series[] }} Figures
 */

const WIDTH = 600;
const HEIGHT = 140;

/** Figures over time, as a drawing, and as a table for who does not see it. */
export class Chart {
  #kind;
  #title;
  #most = h('span', { class: 'most' });
  #since = h('span');
  #now = h('span', {}, 'now');
  #legend = h('ul', { class: 'legend' });
  #read = h('output', { class: 'reading' });
  #name = svg('title');
  #words = svg('desc');
  #drawing;
  #plot = svg('g');
  #cursor = svg('line', { class: 'cursor', y1: 0, y2: HEIGHT, visibility: 'hidden' });
  #table = h('div', { class: 'table' });
  #details = h('details', {}, h('summary', {}, 'As a table'), this.#table);
  /** @type {Figures | undefined} */
  #figures;
  element;

  /**
   * @param {string} title
   * @param {'lines' | 'bars'} kind bars stand on each other
   */
  constructor(title, kind) {
    this.#kind = kind;
    this.#title = title;
    const id = `chart-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
    this.#name.id = `${id}-name`;
    this.#words.id = `${id}-words`;
    this.#name.textContent = title;
    this.#drawing = svg(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-labelledby': `${id}-name ${id}-words`,
      },
      this.#name,
      this.#words,
      this.#plot,
      this.#cursor,
    );
    this.#drawing.addEventListener('pointermove', (event) => this.#point(event));
    this.#drawing.addEventListener('pointerleave', () => this.#leave());
    this.#details.addEventListener('toggle', () => this.#fillTable());
    this.element = h(
      'figure',
      { class: 'chart' },
      h('div', { class: 'plot' }, this.#most, this.#drawing),
      h('div', { class: 'axis' }, this.#since, this.#read, this.#now),
      h('figcaption', {}, this.#legend, this.#details),
    );
  }

  /** @param {Figures} figures */
  update(figures) {
    this.#figures = figures;
    const { series, since, step_seconds } = figures;
    const length = Math.max(1, ...series.map(({ values }) => values.length));
    const heights = Array.from({ length }, (_, at) => this.#height(series, at));
    const most = Math.max(1, ...heights);
    const scale = { most: most * 1.08, length };
    say(this.#most, most);
    say(this.#since, length * step_seconds >= 3500 ? 'an hour ago' : clockTime(since));
    put(
      this.#legend,
      ...series.map(({ name, look }) => h('li', {}, h('i', { class: `swatch ${look}` }), name)),
    );
    this.#words.textContent = series
      .map(
        ({ name, values }) =>
          `${name}: now ${values.at(-1) ?? 'unknown'}, at most ${Math.max(0, ...values.map(Number))}`,
      )
      .join('. ');
    put(this.#plot, ...(this.#kind === 'bars' ? bars(series, scale) : lines(series, scale)));
    this.#fillTable();
  }

  /**
   * @param {Series[]} series
   * @param {number} at
   */
  #height(series, at) {
    const values = series.map(({ values }) => values[at] ?? 0);
    return this.#kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const { series = [], since = '', step_seconds = 1 } = this.#figures ?? {};
    const length = series[0]?.values.length ?? 0;
    const box = this.#drawing.getBoundingClientRect();
    if (length === 0 || box.width === 0) return;
    const at = Math.min(
      length - 1,
      Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * length)),
    );
    const x = ((at + 0.5) / length) * WIDTH;
    this.#cursor.setAttribute('x1', `${x}`);
    this.#cursor.setAttribute('x2', `${x}`);
    this.#cursor.setAttribute('visibility', 'visible');
    const figures = series.map(({ name, values }) => `${values[at] ?? '?'} ${name}`).join(' · ');
    say(this.#read, `${clockTime(Date.parse(since) + at * step_seconds * 1000)}  ${figures}`);
  }

  #leave() {
    this.#cursor.setAttribute('visibility', 'hidden');
    say(this.#read, '');
  }

  #fillTable() {
    if (!this.#details.open || this.#figures === undefined) return;
    const { series, since, step_seconds } = this.#figures;
    const length = series[0]?.values.length ?? 0;
    const rows = Array.from({ length }, (_, back) => length - 1 - back).map((at) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, clockTime(Date.parse(since) + at * step_seconds * 1000)),
        ...series.map(({ values }) => h('td', {}, values[at] ?? '–')),
      ),
    );
    const heads = ['Time', ...series.map(({ name }) => name)].map((name) => h('th', { scope: 'col' }, name));
    put(
      this.#table,
      h(
        'table',
        { class: 'plain' },
        h('caption', { class: 'unseen' }, this.#title),
        h('thead', {}, h('tr', {}, ...heads)),
        h('tbody', {}, ...rows),
      ),
    );
  }
}

/**
 * @param {Series[]} series
 * @param {{ most: number, length: number }} scale
 */
function bars(series, { most, length }) {
  const width = WIDTH / length;
  return Array.from({ length }, (_, at) => {
    let top = HEIGHT;
    return series.flatMap(({ look, values }) => {
      const height = ((values[at] ?? 0) / most) * HEIGHT;
      if (height === 0) return [];
      top -= height;
      return [
        svg('rect', { class: look, x: at * width + width * 0.12, y: top, width: width * 0.76, height }),
      ];
    });
  }).flat();
}

/**
 * The first one is filled. What is not known is a gap.
 * @param {Series[]} series
 * @param {{ most: number, length: number }} scale
 */
function lines(series, { most, length }) {
  const x = (/** @type {number} */ at) => (length === 1 ? WIDTH : (at / (length - 1)) * WIDTH);
  const y = (/** @type {number} */ value) => HEIGHT - (value / most) * HEIGHT;
  return series.flatMap(({ look, values, dashed }, order) =>
    runs(values).flatMap((run) => {
      const points = run.map(([at, value]) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
      const [first, last] = [run[0]?.[0] ?? 0, run.at(-1)?.[0] ?? 0];
      const from = first === last ? `M${Math.max(0, x(first) - 4)} ${y(run[0]?.[1] ?? 0)}L` : 'M';
      const line = svg('path', {
        class: `line ${look}`,
        d: `${from}${points.join('L')}`,
        ...(dashed ? { 'stroke-dasharray': '5 4' } : {}),
      });
      if (order > 0) return [line];
      const area = `M${x(first)} ${HEIGHT}L${points.join('L')}L${x(last)} ${HEIGHT}Z`;
      return [svg('path', { class: `area ${look}`, d: area }), line];
    }),
  );
}

/**
 * @param {readonly (number | null)[]} values
 * @returns {[number, number][][]} those without a gap between them
 */
function runs(values) {
  /** @type {[number, number][][]} */
  const found = [];
  values.forEach((value, at) => {
    if (value === null) return;
    const last = found.at(-1);
    if (last !== undefined && last.at(-1)?.[0] === at - 1) last.push([at, value]);
    else found.push([[at, value]]);
  });
  return found;
}
