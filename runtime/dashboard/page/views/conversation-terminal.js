import { h, put } from '../parts/dom.js';

/** @import { Visit } from '../router.js' */

/**
 * The terminal is large: it is loaded when it is opened.
 * @param {Visit} visit
 */
export async function terminalTab({ main, id, signal }) {
  put(main, h('p', { class: 'empty' }, 'Opening a terminal…'));
  const { openTerminal } = await import('../terminal/terminal-tab.js');
  if (!signal.aborted) await openTerminal(main, id, signal);
}
