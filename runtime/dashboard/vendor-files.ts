/** What the terminal of the dashboard takes from packages: its path below `vendor/`, and the file below node_modules. */
export function vendorFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['xterm.css', '@xterm/xterm/css/xterm.css'],
    ['xterm.mjs', '@xterm/xterm/lib/xterm.mjs'],
    ['addon-fit.mjs', '@xterm/addon-fit/lib/addon-fit.mjs'],
  ]);
}

/** What must be kept with copies of them. */
export const VENDOR_LICENCES = ['@xterm/xterm/LICENSE', '@xterm/addon-fit/LICENSE'];
