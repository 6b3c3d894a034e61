import { confirmed } from '../parts/dialogs.js';
import { h, put, say } from '../parts/dom.js';
import { card, facts } from '../parts/facts.js';
import { attempt, notice, reason } from '../parts/notices.js';
import { printable, printedOutput } from '../parts/printable.js';
import { ShareBar } from '../parts/share-bar.js';
import { span } from '../parts/time.js';
import { leadOn, linkTo } from '../router.js';
import { ApiError, call, send } from '../wire/api.js';
import { live } from '../wire/live.js';
import { workersOf } from './functions.js';

/** @import { Defined } from '../api-types.js' */

const SHOWN_CHARACTERS = 100_000;

/** @type {import('../router.js').View} */
export const functionView = {
  title: ({ id }) => id,
  async show({ main, id, signal }) {
    /** @type {Defined} */
    let found;
    try {
      found = await call('GET /v1/functions/{name}', { params: { name: id }, signal });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      const { tenant = '' } = live.overview ?? {};
      put(
        main,
        h('h1', { class: 'id' }, printable(id)),
        h(
          'p',
          { class: 'empty' },
          `Tenant ${tenant} has no function of this name. Another tenant’s can’t be opened with this key.`,
        ),
      );
      return;
    }
    if (signal.aborted) return;
    const bar = new ShareBar();
    const standing = h('p', { class: 'hint', role: 'status' });
    put(
      main,
      h('p', { class: 'crumbs' }, h('a', { href: linkTo('functions') }, 'Functions')),
      h(
        'div',
        { class: 'head' },
        h('h1', { class: 'id' }, printable(id)),
        h(
          'div',
          { class: 'actions' },
          h('button', { type: 'button', class: 'danger', click: () => void deleted(id) }, 'Delete…'),
        ),
      ),
      factsOf(found),
      card('Workers', bar.element, standing),
      invokeForm(id, signal),
    );
    live.listen(signal, () => showWorkers(workersOf(id), bar, standing));
  },
};

/**
 * @param {ReturnType<typeof workersOf>} now
 * @param {ShareBar} bar
 * @param {Element} standing
 */
function showWorkers(now, bar, standing) {
  const workers = now?.workers ?? { busy: 0, idle: 0, paused: 0, provisioning: 0, terminating: 0 };
  bar.update([
    { name: 'busy', look: 'busy', count: workers.busy },
    { name: 'idle', look: 'good', count: workers.idle },
    { name: 'paused', look: 'calm', count: workers.paused },
    { name: 'starting', look: 'warn', count: workers.provisioning },
    { name: 'ending', look: 'leaving', count: workers.terminating },
  ]);
  const broken = now?.breaker_open
    ? ' It fails: its breaker is open, and calls are refused for a while.'
    : '';
  say(standing, `${now?.waiting ?? 0} calls wait for a worker.${broken}`);
}

/** @param {Defined} found */
function factsOf({
  image,
  task_definition,
  scaling,
  resources,
  port,
  path,
  timeout_seconds,
  env_names,
  revision,
}) {
  return facts([
    ['Image', h('code', {}, printable(image ?? task_definition ?? ''))],
    ['Workers', `${scaling.min_capacity} to ${scaling.max_capacity}`],
    ['Ends idle ones after', span(scaling.idle_timeout)],
    ['A call waits', `${span(scaling.acquire_timeout)} at most, ${scaling.queue} in line`],
    ['A call takes', `${span(timeout_seconds)} at most`],
    ['Each worker', `${resources.cpus} CPUs, ${resources.memory_mb} MiB`],
    ['Answers at', h('code', {}, printable(`:${port}${path}`))],
    ['Environment', printable(env_names.join(', ') || '–')],
    ['Revision', h('code', {}, revision.slice(0, 12))],
  ]);
}

/**
 * @param {string} name
 * @param {AbortSignal} signal
 */
function invokeForm(name, signal) {
  const input = h('textarea', { id: 'body', class: 'mono', rows: 4, spellcheck: 'false' });
  input.value = '{}';
  const type = h('input', {
    id: 'type',
    value: 'application/json',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const button = h('button', { class: 'main' }, 'Invoke');
  const answer = h('div');
  const form = h(
    'form',
    { class: 'card' },
    h('h2', {}, 'Call it'),
    h('label', { for: 'body' }, 'Body'),
    input,
    h('label', { for: 'type' }, 'Content type'),
    type,
    h('div', { class: 'choices' }, button),
    answer,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    const began = performance.now();
    try {
      const headers = { 'content-type': type.value };
      const params = { name };
      const got = await send('POST /v1/functions/{name}/invoke', {
        params,
        content: input.value,
        headers,
        anyStatus: true,
        signal,
      });
      const text = await got.text();
      put(
        answer,
        facts([
          ['Status', `${got.status}`],
          ['Took', `${Math.round(performance.now() - began)} ms`],
          ['Worker', h('code', {}, printable(got.headers.get('x-berth-worker') ?? '–'))],
          ['Cold start', got.headers.get('x-berth-cold-start') ?? '–'],
        ]),
        h(
          'pre',
          { class: 'output', tabindex: '0', 'aria-label': 'Answer' },
          printedOutput(text.slice(0, SHOWN_CHARACTERS)),
        ),
      );
    } catch (error) {
      if (!signal.aborted) put(answer, h('p', { class: 'problem', role: 'alert' }, printable(reason(error))));
    }
    button.disabled = false;
  });
  return form;
}

/** @param {string} name */
async function deleted(name) {
  const text =
    'Calls under way end, new ones are refused, and its workers drain and go. Who defines it again has it back.';
  if (!(await confirmed({ title: `Delete ${name}?`, text, act: 'Delete it' }))) return;
  await attempt('Could not delete it', async () => {
    await call('DELETE /v1/functions/{name}', { params: { name } });
    notice(`${name} is deleted; its workers drain.`);
    leadOn(linkTo('functions', name), linkTo('functions'));
  });
}
