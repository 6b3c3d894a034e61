import { h, put } from '../parts/dom.js';
import { EventView } from '../parts/event-view.js';
import { reason } from '../parts/notices.js';
import { events } from '../wire/events.js';
import { watchExecution } from './conversation-executions.js';

/** @import { Visit } from '../router.js' */

/**
 * A box for a command, and one for an execution.
 * @param {Visit} visit
 */
export function runTab({ main, id, signal }) {
  const output = h('div');
  put(
    main,
    h('div', { class: 'two' }, commandForm(id, output, signal), executionForm(id, output, signal)),
    output,
  );
}

/**
 * @param {string} id
 * @param {Element} output
 * @param {AbortSignal} signal
 */
function commandForm(id, output, signal) {
  const input = h('input', {
    id: 'command',
    required: true,
    class: 'mono',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  const button = h('button', { class: 'main' }, 'Run');
  const form = h(
    'form',
    { class: 'card' },
    h('h2', {}, 'A command'),
    h('label', { for: 'command' }, 'For the shell, in /workspace'),
    input,
    h('div', { class: 'choices' }, button),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    await runCommand(id, input.value, output, signal);
    button.disabled = false;
    input.select();
  });
  return form;
}

/**
 * @param {string} id
 * @param {string} command
 * @param {Element} output
 * @param {AbortSignal} signal
 */
async function runCommand(id, command, output, signal) {
  const view = new EventView();
  put(output, h('section', { class: 'card' }, h('h2', {}, 'Output'), view.element));
  try {
    const body = { cmd: ['sh', '-c', command] };
    for await (const { event, data } of events('POST /v1/conversations/{id}/exec', {
      params: { id },
      body,
      signal,
    })) {
      if (event === 'output') view.output(data.stream, data.text);
      else if (event === 'error') view.end(data.message, 'bad');
      else if (event === 'exit') {
        const how = data.timed_out ? 'its time was up' : `exit code ${data.exit_code ?? data.signal}`;
        view.end(`${how}, ${Math.round(data.duration_ms)} ms`, data.exit_code === 0 ? 'good' : 'bad');
      }
    }
  } catch (error) {
    if (!signal.aborted) view.end(reason(error), 'bad');
  }
}

/**
 * @param {string} id
 * @param {Element} output
 * @param {AbortSignal} signal
 */
function executionForm(id, output, signal) {
  const input = h('textarea', { id: 'input', required: true, class: 'mono', rows: 4, spellcheck: 'false' });
  const model = h('input', {
    id: 'model',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'the runner’s own',
  });
  const button = h('button', { class: 'main' }, 'Execute');
  const form = h(
    'form',
    { class: 'card' },
    h('h2', {}, 'An execution'),
    h(
      'label',
      { for: 'input' },
      'What the runner gets: the built-in one runs it as a script, Python unless a #! line says otherwise',
    ),
    input,
    h('label', { for: 'model' }, 'Model'),
    model,
    h('div', { class: 'choices' }, button),
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const execution = await begun(id, input.value, model.value.trim(), signal);
      if (execution !== undefined) await watchExecution(output, id, execution, signal);
    } catch (error) {
      const view = new EventView();
      put(output, h('section', { class: 'card' }, view.element));
      view.end(reason(error), 'bad');
    }
    button.disabled = false;
  });
  return form;
}

/**
 * Begins it, and leaves its stream: it goes on without, and is watched as any other.
 * @param {string} id
 * @param {string} user_input
 * @param {string} model
 * @param {AbortSignal} signal
 * @returns {Promise<string | undefined>}
 */
async function begun(id, user_input, model, signal) {
  const body = { user_input, ...(model === '' ? {} : { model }) };
  for await (const { data } of events('POST /v1/conversations/{id}/execute', {
    params: { id },
    body,
    signal,
  })) {
    return data.execution_id;
  }
  return undefined;
}
