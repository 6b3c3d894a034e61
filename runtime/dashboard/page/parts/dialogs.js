import { h } from './dom.js';
import { printable } from './printable.js';

/**
 * Asks before something is destroyed. `name`: what must be typed first, where it can't be had back.
 * @param {{ title: string, text: string, act: string, name?: string, danger?: boolean }} question
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, act, name, danger = true }) {
  const input = h('input', {
    name: 'typed',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  const go = h('button', { value: 'go', class: danger ? 'danger' : 'main' }, act);
  const ready = () => {
    go.disabled = name !== undefined && input.value !== name;
  };
  input.addEventListener('input', ready);
  ready();
  return asked(
    title,
    [
      h('p', {}, printable(text)),
      name !== undefined &&
        h('label', {}, h('span', {}, 'Type ', h('code', {}, printable(name)), ' to go on'), input),
    ],
    go,
  ).then((answer) => answer === 'go');
}

/**
 * @param {string} title
 * @param {import('./dom.js').Child[]} content
 * @param {HTMLButtonElement} go
 * @returns {Promise<string>} the value of the button that closed it; none: it was dismissed
 */
export function asked(title, content, go) {
  const heading = h('h2', { id: 'asked-title' }, printable(title));
  const cancel = h('button', { value: '', formnovalidate: true }, 'Cancel');
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'asked-title' },
    h('form', { method: 'dialog' }, heading, ...content, h('div', { class: 'choices' }, cancel, go)),
  );
  return shownUntilClosed(dialog);
}

/**
 * Shows a dialog; afterwards it is gone, and the focus where it was.
 * @param {HTMLDialogElement} dialog
 * @returns {Promise<string>}
 */
export function shownUntilClosed(dialog) {
  const before = document.activeElement;
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (before instanceof HTMLElement) before.focus();
      resolve(dialog.returnValue);
    });
  });
}
