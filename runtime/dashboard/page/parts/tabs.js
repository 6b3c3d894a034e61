import { linkTo } from '../router.js';
import { h } from './dom.js';

/**
 * The parts of one thing's page, each with an address of its own.
 * @param {string} section
 * @param {string} id
 * @param {readonly (readonly [string, string])[]} tabs name in the address, and title
 * @param {string} chosen
 */
export function tabLinks(section, id, tabs, chosen) {
  return h(
    'nav',
    { class: 'tabs', 'aria-label': 'Parts' },
    ...tabs.map(([name, title]) =>
      h(
        'a',
        {
          href: name === '' ? linkTo(section, id) : linkTo(section, id, name),
          'aria-current': name === chosen ? 'page' : undefined,
        },
        title,
      ),
    ),
  );
}
