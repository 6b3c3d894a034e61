import { element, make } from './element.js';

/**
 * Shows a menu at a place; Escape or a click beside it closes it.
 * @param {DOMRect | DOMPoint} at
 * @param {{ label: string, act: () => void }[]} items
 */
export function showMenu(at, items) {
  const menu = element('menu');
  const before = document.activeElement;
  const buttons = items.map(({ label, act }) => {
    const button = make('button', { role: 'menuitem', tabindex: '-1' }, label);
    button.addEventListener('click', () => {
      menu.hidePopover();
      act();
    });
    return button;
  });
  const focused = () => buttons.findIndex((button) => button.matches(':focus'));
  menu.replaceChildren(...buttons);
  menu.showPopover();
  const { innerWidth, innerHeight } = window;
  const below = at instanceof DOMRect ? at.bottom : at.y;
  menu.style.left = `${Math.max(4, Math.min(at.x, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${Math.max(4, Math.min(below, innerHeight - menu.offsetHeight - 8))}px`;
  buttons[0]?.focus();
  menu.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    buttons.at((focused() + step) % buttons.length)?.focus();
  };
  menu.ontoggle = () => {
    if (!menu.matches(':popover-open') && before instanceof HTMLElement && before.isConnected) before.focus();
  };
}
