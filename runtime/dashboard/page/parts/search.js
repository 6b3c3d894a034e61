import { h } from './dom.js';

/**
 * The box that `/` leads to.
 * @param {string} label
 * @param {(text: string) => void} changed
 */
export function searchBox(label, changed) {
  const input = h('input', {
    type: 'search',
    placeholder: label,
    'aria-label': label,
    autocomplete: 'off',
    spellcheck: 'false',
    'data-search': true,
  });
  input.addEventListener('input', () => changed(input.value.trim().toLowerCase()));
  return input;
}

/**
 * @param {string} label
 * @param {readonly (readonly [string, string])[]} options value and words
 * @param {(value: string) => void} changed
 * @param {string} [chosen]
 */
export function choice(label, options, changed, chosen = '') {
  const select = h(
    'select',
    { 'aria-label': label },
    ...options.map(([value, words]) => h('option', { value, selected: value === chosen }, words)),
  );
  select.addEventListener('change', () => changed(select.value));
  return select;
}
