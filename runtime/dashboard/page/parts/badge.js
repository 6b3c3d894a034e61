import { h, say } from './dom.js';

/** How a word of the API looks: what is well, what goes on, what waits, what is wrong. */
/** @type {Record<string, 'good' | 'busy' | 'calm' | 'warn' | 'bad'>} */
const LOOKS = {
  ready: 'good',
  running: 'busy',
  RUNNING: 'good',
  idle: 'calm',
  STANDBY: 'calm',
  PENDING: 'calm',
  preparing: 'warn',
  draining: 'warn',
  starting: 'warn',
  stopping: 'warn',
  created: 'warn',
  paused: 'calm',
  exited: 'bad',
  ERROR: 'bad',
  DELETED: 'bad',
  unready: 'bad',
  completed: 'good',
  failed: 'bad',
  cancelled: 'calm',
  lost: 'bad',
  warm: 'good',
};

/** @param {string} word */
export function badge(word) {
  const element = h('span', { class: 'badge' });
  setBadge(element, word);
  return element;
}

/**
 * @param {Element} element
 * @param {string} word
 */
export function setBadge(element, word) {
  element.setAttribute('data-look', LOOKS[word] ?? 'calm');
  say(element, word);
}
