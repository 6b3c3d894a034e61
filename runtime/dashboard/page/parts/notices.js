import { ApiError } from '../wire/api.js';
import { byId, h } from './dom.js';
import { printable } from './printable.js';

const SHOWN_MS = 6000;

/**
 * Tells something in passing. What went wrong stays until it is closed.
 * @param {string} text
 * @param {'good' | 'bad'} [kind]
 */
export function notice(text, kind = 'good') {
  const close = h(
    'button',
    { type: 'button', class: 'plain', 'aria-label': 'Close', click: () => box.remove() },
    '✕',
  );
  const box = h('div', { class: `notice ${kind}` }, h('p', {}, printable(text)), close);
  byId('notices').append(box);
  if (kind === 'good') setTimeout(() => box.remove(), SHOWN_MS);
}

/**
 * Does something for the user, and tells what went wrong with it. False: it did.
 * @param {string} what such as `Could not delete it`
 * @param {() => Promise<unknown>} act
 * @returns {Promise<boolean>}
 */
export async function attempt(what, act) {
  try {
    await act();
    return true;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return false;
    notice(`${what}. ${reason(error)}`, 'bad');
    return false;
  }
}

/** @param {unknown} error */
export function reason(error) {
  if (error instanceof ApiError) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : `${error}`;
}
