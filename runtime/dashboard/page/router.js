/**
 * @typedef {{ main: HTMLElement, id: string, tab: string, query: URLSearchParams, signal: AbortSignal }} Visit
 * what a view gets: where to show itself, what of, and a signal for when it is left
 * @typedef {{ title: (visit: Visit) => string, show: (visit: Visit) => void | Promise<void> }} View
 */

/** @typedef {{ section: string, id: string, tab: string, query: URLSearchParams }} Place */

/**
 * `#/conversations/c1/files?x=y`. What is no address leads to the overview.
 * @param {string} hash
 * @returns {Place}
 */
export function placeOf(hash) {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s, 2);
  const parts = path.split('/').filter((part) => part !== '');
  const [section = '', id = '', tab = ''] = parts.map(decoded);
  return { section, id, tab, query: new URLSearchParams(query) };
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

/**
 * @param {string} section
 * @param {string[]} parts
 */
export function linkTo(section, ...parts) {
  return `#/${[section, ...parts].map(encodeURIComponent).join('/')}`;
}

/**
 * What was done here leads there, unless the user has gone elsewhere meanwhile.
 * @param {string} from
 * @param {string} to
 */
export function leadOn(from, to) {
  if (location.hash === from) location.hash = to;
}
