import { shownUntilClosed } from './dialogs.js';
import { h } from './dom.js';

/** After `g`. */
/** @type {Record<string, { hash: string, words: string, admin?: boolean }>} */
const PLACES = {
  o: { hash: '#/', words: 'Overview' },
  c: { hash: '#/conversations', words: 'Conversations' },
  w: { hash: '#/workspaces', words: 'Workspaces' },
  f: { hash: '#/functions', words: 'Functions' },
  k: { hash: '#/containers', words: 'Containers', admin: true },
  p: { hash: '#/operations', words: 'Operations', admin: true },
};

const TOGETHER_MS = 1500;

/** @param {() => boolean} isAdmin */
export function listenToKeys(isAdmin) {
  let goingSince = Number.NEGATIVE_INFINITY;
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const place = event.timeStamp - goingSince < TOGETHER_MS ? PLACES[event.key] : undefined;
    goingSince = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (place !== undefined && (!place.admin || isAdmin())) location.hash = place.hash;
    else if (event.key === '/') focusSearch(event);
    else if (event.key === '?') void showKeys();
  });
}

/** @param {Event} event */
function focusSearch(event) {
  const box = document.querySelector('[data-search]');
  if (!(box instanceof HTMLElement)) return;
  event.preventDefault();
  box.focus();
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], .xterm') !== null
  );
}

export function showKeys() {
  const keys = (/** @type {string[]} */ ...names) =>
    h('td', {}, ...names.flatMap((name) => [h('kbd', {}, name), ' ']));
  const row = (/** @type {HTMLElement} */ first, /** @type {string} */ words) =>
    h('tr', {}, first, h('td', {}, words));
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'keys-title' },
    h('h2', { id: 'keys-title' }, 'Keyboard'),
    h(
      'table',
      { class: 'plain' },
      h(
        'tbody',
        {},
        ...Object.entries(PLACES).map(([key, { words, admin }]) =>
          row(keys('g', key), admin ? `${words} (admin)` : words),
        ),
        row(keys('/'), 'Search'),
        row(keys('↑', '↓'), 'From row to row'),
        row(keys('Esc'), 'Close what asks'),
        row(keys('?'), 'This'),
      ),
    ),
    h('form', { method: 'dialog', class: 'choices' }, h('button', { class: 'main' }, 'Close')),
  );
  return shownUntilClosed(dialog);
}
