import { element, make } from './element.js';

/**
 * @typedef {{ value: string, label: string, kind?: 'main' | 'danger' }} Choice
 * @typedef {{ title: string, text?: string, choices: Choice[], field?: { label: string, value: string } }} Question
 */

/** @param {string} selector */
function part(selector) {
  const found = element('ask').querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`The dialog has no ${selector}.`);
  return found;
}

/**
 * @param {Question} question
 * @returns {Promise<string | undefined>} the value of the choice; undefined if the user left it
 */
async function show({ title, text = '', choices, field }) {
  const dialog = /** @type {HTMLDialogElement} */ (element('ask')); // as the page has it
  const input = /** @type {HTMLInputElement} */ (part('input')); // as the page has it
  part('h2').textContent = title;
  part('p').textContent = text;
  part('p').hidden = text === '';
  part('label').hidden = field === undefined;
  part('label span').textContent = field?.label ?? '';
  input.value = field?.value ?? '';
  // The first one is what Enter does.
  const buttons = choices.map(({ value, label, kind }) =>
    make('button', { value, class: kind ?? '' }, label),
  );
  const cancel = make('button', { value: '', type: 'button' }, 'Cancel');
  cancel.addEventListener('click', () => dialog.close(''));
  part('.choices').replaceChildren(cancel, ...buttons);
  dialog.returnValue = '';
  dialog.showModal();
  if (field !== undefined) {
    input.focus();
    const dot = field.value.lastIndexOf('.');
    const from = field.value.lastIndexOf('/') + 1;
    input.setSelectionRange(from, dot > from ? dot : field.value.length);
  } else buttons[0]?.focus();
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }));
  return dialog.returnValue === '' ? undefined : dialog.returnValue;
}

/**
 * @param {string} title
 * @param {string} text
 * @param {Choice[]} choices
 */
export const askChoice = (title, text, choices) => show({ title, text, choices });

/**
 * @param {string} title
 * @param {string} label
 * @param {string} value
 * @param {string} action
 * @returns {Promise<string | undefined>} what was typed
 */
export async function askText(title, label, value, action) {
  const choice = { value: 'done', label: action, kind: /** @type {const} */ ('main') };
  const answer = await show({ title, choices: [choice], field: { label, value } });
  const input = /** @type {HTMLInputElement} */ (part('input')); // as the page has it
  return answer === undefined ? undefined : input.value;
}
