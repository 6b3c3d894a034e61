/**
 * @typedef {Node | string | number | null | undefined | false} Child nothing is shown for what is nothing
 * @typedef {Record<string, string | number | boolean | undefined | ((event: Event) => void)>} Settings
 */

/**
 * A new element. A setting that is a function listens to the event of that name, one that is false or undefined is
 * left out. Children that are text stay text, whatever is in them.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Settings} [settings]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, settings = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== undefined && value !== false)
      made.setAttribute(name, value === true ? '' : `${value}`);
  }
  put(made, ...children);
  return made;
}

/**
 * In place of all that is in it.
 * @param {Element} parent
 * @param {Child[]} children
 */
export function put(parent, ...children) {
  parent.replaceChildren(...shown(children));
}

/** @param {Child[]} children */
function shown(children) {
  return children
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === 'number' ? `${child}` : child));
}

/**
 * Changes a text only where it is another: a selection in it stays.
 * @param {Element} element
 * @param {string | number} text
 */
export function say(element, text) {
  if (element.textContent !== `${text}`) element.textContent = `${text}`;
}

/**
 * Makes the children those of the items, in their order, and keeps those that are there: whoever reads or has the
 * focus in one is not disturbed.
 * @template Item
 * @param {Element} parent
 * @param {readonly Item[]} items
 * @param {{ key: (item: Item) => string, make: (item: Item) => Element, update: (element: Element, item: Item) => void }} how
 */
export function keep(parent, items, { key, make, update }) {
  const known = new Map([...parent.children].map((child) => [child.getAttribute('data-key'), child]));
  const seen = new Set();
  const wanted = items.flatMap((item) => {
    const name = key(item);
    if (seen.has(name)) return []; // of two of one name, one is shown
    seen.add(name);
    const element = known.get(name) ?? make(item);
    element.setAttribute('data-key', name);
    known.delete(name);
    update(element, item);
    return [element];
  });
  for (const gone of known.values()) gone.remove();
  let at = parent.firstElementChild;
  for (const element of wanted) {
    if (element === at) at = at.nextElementSibling;
    else parent.insertBefore(element, at);
  }
}

/**
 * The page's own element of this id.
 * @param {string} id
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [settings]
 * @param {(Node | string)[]} children
 * @returns {SVGElement}
 */
export function svg(tag, settings = {}, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, tag)); // as its namespace says
  for (const [name, value] of Object.entries(settings)) made.setAttribute(name, `${value}`);
  made.append(...children);
  return made;
}
