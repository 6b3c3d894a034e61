// What this browser remembers of a workspace. Workspaces below one host are told apart by their path.

/** @param {string} name */
const key = (name) => `editor:${location.pathname}:${name}`;

/**
 * @param {string} name
 * @returns {unknown}
 */
export function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(key(name)) ?? 'null');
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @returns {string[]}
 */
export function recallList(name) {
  const found = recall(name);
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : [];
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(key(name), JSON.stringify(value));
  } catch {
    // A full or forbidden store only costs the memory.
  }
}
