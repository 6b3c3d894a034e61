import { confirmed } from '../parts/dialogs.js';
import { h, put, say } from '../parts/dom.js';
import { card } from '../parts/facts.js';
import { attempt, notice } from '../parts/notices.js';
import { printable } from '../parts/printable.js';
import { call } from '../wire/api.js';
import { live } from '../wire/live.js';

/** @import { SweepReport } from '../api-types.js' */

/** @type {import('../router.js').View} */
export const operations = {
  title: () => 'Operations',
  async show({ main, signal }) {
    const form = poolForm();
    const sweep = sweepCard();
    const service = h('dl', { class: 'facts' });
    put(
      main,
      h('h1', {}, 'Operations'),
      h('div', { class: 'two' }, form.element, sweep.element),
      card(
        'The service',
        service,
        h('p', { class: 'hint' }, h('a', { href: '/docs' }, 'The API'), ' is what this page is made with.'),
      ),
    );
    const { min_size, max_size } = await call('GET /v1/warm-pool', { signal });
    form.set(min_size, max_size);
    live.listen(signal, (seen) => {
      const rows = [
        ['Version', seen.version],
        ['Backend', seen.backend],
        ['Instance', seen.instance],
        ...(seen.dependencies ?? []).map(({ name, ready, detail }) => [
          name,
          ready ? 'ok' : printable(detail),
        ]),
      ];
      put(service, ...rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
      sweep.update(seen.breaker);
      form.update(seen.pool);
    });
  },
};

function poolForm() {
  const number = (/** @type {string} */ id) =>
    h('input', { id, type: 'number', min: 0, max: 10_000, required: true });
  const [least, most] = [number('pool-least'), number('pool-most')];
  const now = h('p', { class: 'hint', role: 'status' });
  const element = h(
    'form',
    { class: 'card' },
    h('h2', {}, 'Warm pool'),
    now,
    h('label', { for: 'pool-least' }, 'At least'),
    least,
    h('label', { for: 'pool-most' }, 'At most'),
    most,
    h('p', { class: 'hint' }, 'Holds for every instance, until it is set again. 0 and 0: no pool.'),
    h('div', { class: 'choices' }, h('button', { class: 'main' }, 'Set')),
  );
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    void attempt('Could not set it', async () => {
      const body = { min_size: least.valueAsNumber, max_size: most.valueAsNumber };
      await call('PUT /v1/warm-pool', { body });
      notice(`The pool is kept between ${body.min_size} and ${body.max_size}.`);
    });
  });
  return {
    element,
    set(/** @type {number} */ min, /** @type {number} */ max) {
      least.value = `${min}`;
      most.value = `${max}`;
    },
    update(/** @type {{ warm: number, starting: number, target: number } | null} */ pool) {
      if (pool !== null) say(now, `${pool.warm} warm, ${pool.starting} starting, ${pool.target} wanted.`);
    },
  };
}

function sweepCard() {
  const state = h('p', { class: 'hint', role: 'status' });
  const report = h('p', { class: 'hint', role: 'status' });
  const release = h(
    'button',
    { type: 'button', class: 'danger', click: () => void released() },
    'Release the breaker…',
  );
  const sweep = (/** @type {boolean} */ release_breaker) =>
    attempt('Could not sweep', async () => {
      say(report, words(await call('POST /v1/sweep', { body: { release_breaker } })));
      notice('The sweep is through.');
    });
  const released = async () => {
    const text =
      'All containers that have no owner at this look are ended. Look at them first: their files may not be saved.';
    if (await confirmed({ title: 'Release the breaker?', text, act: 'Release it' })) await sweep(true);
  };
  return {
    element: card(
      'Sweep',
      h('p', {}, 'Holds what the backend runs against what the store knows.'),
      state,
      report,
      h(
        'div',
        { class: 'choices' },
        release,
        h('button', { type: 'button', class: 'main', click: () => void sweep(false) }, 'Sweep now'),
      ),
    ),
    update(/** @type {{ open: boolean, held: number } | null} */ breaker) {
      say(
        state,
        breaker?.open
          ? `The breaker holds ${breaker.held} containers without an owner.`
          : 'The breaker is closed.',
      );
    },
  };
}

/** @param {SweepReport} report */
function words({ listed, marked, adopted, destroyed, held, lost }) {
  return `${listed} listed, ${marked} marked, ${adopted} adopted, ${destroyed} ended, ${held} held, ${lost} lost.`;
}
