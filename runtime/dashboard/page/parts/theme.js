// Which colours: the system's, unless the user chose. The choice is all that stays in this browser.

const NAME = 'berth-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
/** @type {Set<() => void>} */
const listeners = new Set();

/** @returns {'light' | 'dark'} */
export function theme() {
  const chosen = localStorage.getItem(NAME);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return dark.matches ? 'dark' : 'light';
}

function apply() {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener();
}

/** The other one; back at the system's own nothing is kept. */
export function switchTheme() {
  const other = theme() === 'dark' ? 'light' : 'dark';
  if (other === (dark.matches ? 'dark' : 'light')) localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, other);
  apply();
}

/**
 * @param {AbortSignal} signal
 * @param {() => void} listener
 */
export function whenThemeChanges(signal, listener) {
  listeners.add(listener);
  signal.addEventListener('abort', () => listeners.delete(listener), { once: true });
}

dark.addEventListener('change', apply);
apply();
