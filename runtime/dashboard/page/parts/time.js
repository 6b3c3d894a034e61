import { h, say } from './dom.js';

const STEPS = /** @type {const} */ ([
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]);

/**
 * `3 min`, `2 h 5 min`: two units at most.
 * @param {number} seconds
 */
export function span(seconds) {
  let left = Math.max(0, Math.floor(seconds));
  const parts = [];
  for (const [size, unit] of STEPS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/** @param {number} ms */
export function milliseconds(ms) {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(0)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** @param {number} bytes */
export function bytes(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** @param {string | number} at */
export const clockTime = (at) => clock.format(new Date(at));

/**
 * How long ago, or how long until: it counts by itself as long as it is on the page.
 * @param {'since' | 'until'} kind
 * @param {string | null} at
 */
export function counting(kind, at) {
  const element = h('time', { class: 'counting', 'data-kind': kind });
  setCounting(element, at);
  return element;
}

/**
 * @param {Element} element made by `counting`
 * @param {string | null} at
 */
export function setCounting(element, at) {
  if (at === null) {
    element.removeAttribute('datetime');
    say(element, '–');
    return;
  }
  element.setAttribute('datetime', at);
  element.setAttribute('title', new Date(at).toLocaleString());
  count(element);
}

/** @param {Element} element */
function count(element) {
  const at = element.getAttribute('datetime');
  if (at === null) return;
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  if (element.getAttribute('data-kind') === 'since') say(element, span(-seconds));
  else {
    say(element, seconds <= 0 ? 'now' : span(seconds));
    element.classList.toggle('soon', seconds < 60);
  }
}

setInterval(() => {
  for (const element of document.querySelectorAll('time.counting')) count(element);
}, 1000);
