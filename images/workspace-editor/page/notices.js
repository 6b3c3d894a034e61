import { CROSS, element, icon, make } from './element.js';

const SHOWN_MS = 6000;

/** @typedef {{ label: string, act: () => void }} Action */

/**
 * Tells something that waits for nobody. What went wrong stays until it is dismissed.
 * @param {string} text
 * @param {{ bad?: boolean, actions?: Action[] }} [options]
 */
export function tell(text, { bad = false, actions = [] } = {}) {
  const close = make('button', { class: 'icon', 'aria-label': 'Dismiss' }, icon(CROSS));
  const notice = make('div', { class: bad ? 'notice bad' : 'notice' }, make('span', {}, text));
  for (const { label, act } of actions) {
    const button = make('button', {}, label);
    button.addEventListener('click', () => {
      notice.remove();
      act();
    });
    notice.append(button);
  }
  notice.append(close);
  close.addEventListener('click', () => notice.remove());
  element('notices').append(notice);
  if (!bad) setTimeout(() => notice.remove(), SHOWN_MS);
}

/**
 * Does something a user asked for, and tells why it could not be done.
 * @param {string} what
 * @param {() => Promise<void>} act
 */
export async function attempt(what, act) {
  try {
    await act();
  } catch (error) {
    tell(`${what}: ${error instanceof Error ? error.message : error}`, { bad: true });
  }
}
