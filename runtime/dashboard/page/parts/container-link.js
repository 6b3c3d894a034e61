import { linkTo } from '../router.js';
import { live } from '../wire/live.js';
import { h } from './dom.js';

/**
 * The id of a container; for an admin, who may read its log and end it, the way there.
 * @param {string} id
 */
export function containerLink(id) {
  const name = h('code', {}, id);
  return live.overview?.scope === 'admin' ? h('a', { href: linkTo('containers', id) }, name) : name;
}
