import { h } from './dom.js';

/**
 * Names and what they are.
 * @param {[string, import('./dom.js').Child][]} rows
 */
export function facts(rows) {
  return h(
    'dl',
    { class: 'facts' },
    ...rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  );
}

/**
 * A part of a page with a heading of its own.
 * @param {string} title
 * @param {import('./dom.js').Child[]} children
 */
export function card(title, ...children) {
  return h('section', { class: 'card' }, h('h2', {}, title), ...children);
}
