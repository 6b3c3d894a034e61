import { element } from './element.js';
import { recall, remember } from './memory.js';

const STEP = 24;

/**
 * An edge that can be dragged, or moved with the arrow keys; where it is, is remembered.
 * @param {string} id
 * @param {string} property
 * @param {{ from: (event: PointerEvent) => number, now: () => number, keys: [string, string],
 *   least: number, most: () => number }} how
 */
export function movableEdge(id, property, { from, now, keys: [less, more], least, most }) {
  const edge = element(id);
  const set = (/** @type {number} */ size) => {
    const px = Math.round(Math.max(least, Math.min(most(), size)));
    document.documentElement.style.setProperty(property, `${px}px`);
    edge.setAttribute('aria-valuenow', `${px}`);
    remember(property, px);
  };
  edge.addEventListener('pointerdown', (event) => {
    edge.setPointerCapture(event.pointerId);
    edge.onpointermove = (moved) => set(from(moved));
  });
  edge.addEventListener('lostpointercapture', () => {
    edge.onpointermove = null;
  });
  edge.addEventListener('keydown', ({ key }) => {
    if (key === less) set(now() - STEP);
    if (key === more) set(now() + STEP);
  });
  const before = recall(property);
  if (typeof before === 'number') set(before);
}
