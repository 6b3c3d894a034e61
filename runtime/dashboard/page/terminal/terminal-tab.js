import { confirmed } from '../parts/dialogs.js';
import { h, put } from '../parts/dom.js';
import { attempt } from '../parts/notices.js';
import { clockTime } from '../parts/time.js';
import { call } from '../wire/api.js';
import { showTerminal } from './terminal-screen.js';

/** @import { Terminal } from '../api-types.js' */

/**
 * The terminals of a conversation: one that is open is taken up again, else one is opened.
 * @param {HTMLElement} main
 * @param {string} id
 * @param {AbortSignal} signal
 */
export async function openTerminal(main, id, signal) {
  await styled();
  const status = h('span', { class: 'badge', role: 'status' });
  const chooser = h('select', { 'aria-label': 'Terminals' });
  const place = h('div', { class: 'shell', role: 'group', 'aria-label': 'Terminal' });
  let leaving = new AbortController();

  const show = (/** @type {Terminal} */ { terminal_id }) => {
    leaving.abort();
    leaving = new AbortController();
    const tell = (/** @type {string} */ words, /** @type {string} */ look) => {
      put(status, words);
      status.dataset.look = look;
    };
    const address = `/v1/conversations/${encodeURIComponent(id)}/terminals/${encodeURIComponent(terminal_id)}/socket`;
    showTerminal(place, address, tell, AbortSignal.any([signal, leaving.signal]));
  };
  const list = async (/** @type {string} */ chosen) => {
    const { terminals } = await call('GET /v1/conversations/{id}/terminals', { params: { id }, signal });
    const running = terminals.filter((each) => each.status === 'running');
    put(
      chooser,
      ...running.map(({ terminal_id, cmd, created_at }) =>
        h(
          'option',
          { value: terminal_id, selected: terminal_id === chosen },
          `${cmd[0] ?? 'shell'}, ${clockTime(created_at)}`,
        ),
      ),
    );
    return running;
  };
  const open = async () => {
    const made = await call('POST /v1/conversations/{id}/terminals', { params: { id }, body: {}, signal });
    await list(made.terminal_id);
    show(made);
  };
  const end = async () => {
    const sure = await confirmed({
      title: 'End this terminal?',
      text: 'All that runs in it is ended.',
      act: 'End it',
    });
    if (!sure) return;
    await attempt('Could not end it', async () => {
      await call('DELETE /v1/conversations/{id}/terminals/{terminal_id}', {
        params: { id, terminal_id: chooser.value },
      });
      await list('');
    });
  };

  chooser.addEventListener('change', async () => {
    const chosen = (await list(chooser.value)).find(({ terminal_id }) => terminal_id === chooser.value);
    if (chosen !== undefined) show(chosen);
  });
  put(
    main,
    h(
      'div',
      { class: 'filters' },
      chooser,
      h('button', { type: 'button', click: () => void attempt('Could not open one', open) }, 'New'),
      h('button', { type: 'button', class: 'danger', click: () => void end() }, 'End…'),
      status,
    ),
    place,
  );
  const [first] = await list('').catch(() => []); // a conversation without a container has none
  if (signal.aborted) return;
  if (first === undefined) await open();
  else show(first);
}

/** Its style sheet, once. */
async function styled() {
  const href = new URL('../vendor/xterm.css', import.meta.url).href;
  if (document.querySelector(`link[href="${CSS.escape(href)}"]`) !== null) return;
  const link = h('link', { rel: 'stylesheet', href });
  const loaded = new Promise((resolve) => {
    link.addEventListener('load', resolve);
    link.addEventListener('error', resolve);
  });
  document.head.append(link);
  await loaded;
}
