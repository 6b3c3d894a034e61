import { h, keep, put, svg } from './dom.js';

/** How much of a whole each part is: a bar, and its legend with the figures. */
export class ShareBar {
  #drawing = svg('svg', { viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  #legend = h('ul', { class: 'legend figures' });
  element = h('div', { class: 'share' }, this.#drawing, this.#legend);

  /** @param {{ name: string, count: number, look: string, href?: string }[]} parts */
  update(parts) {
    const whole = parts.reduce((sum, { count }) => sum + count, 0);
    let from = 0;
    put(
      this.#drawing,
      svg('rect', { class: 'rest', x: 0, y: 0, width: 1000, height: 10 }),
      ...parts.map(({ count, look }) => {
        const width = whole === 0 ? 0 : (count / whole) * 1000;
        const part = svg('rect', { class: look, x: from, y: 0, width, height: 10 });
        from += width;
        return part;
      }),
    );
    keep(this.#legend, parts, {
      key: ({ name }) => name,
      make: ({ name, look, href }) => {
        const label = href === undefined ? h('span', {}, name) : h('a', { href }, name);
        return h('li', {}, h('i', { class: `swatch ${look}` }), label, h('b'));
      },
      update: (item, { count }) => {
        const figure = item.lastElementChild;
        if (figure) figure.textContent = `${count}`;
      },
    });
  }
}
