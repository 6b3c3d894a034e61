import { h } from '../parts/dom.js';
import { whenThemeChanges } from '../parts/theme.js';
import { FitAddon } from '../vendor/addon-fit.mjs';
import { Terminal } from '../vendor/xterm.mjs';
import { strictStyles } from './strict-styles.js';
import { terminalColours } from './terminal-colours.js';
import { TerminalSocket } from './terminal-socket.js';

/**
 * One terminal on the page.
 * @param {HTMLElement} place
 * @param {string} address
 * @param {(words: string, look: 'good' | 'warn' | 'bad' | 'calm') => void} tell
 * @param {AbortSignal} signal
 */
export function showTerminal(place, address, tell, signal) {
  const restore = strictStyles();
  const terminal = new Terminal({
    theme: terminalColours(),
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    fontSize: 13,
    scrollback: 5000,
    minimumContrastRatio: 4.5,
    macOptionIsMeta: true,
    screenReaderMode: true,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  const screen = h('div', { class: 'screen' });
  place.replaceChildren(screen);
  terminal.open(screen);
  const resize = () => {
    if (screen.clientHeight === 0) return;
    fit.fit();
    socket.send(JSON.stringify({ type: 'resize', cols: terminal.cols, rows: terminal.rows }));
  };
  const socket = new TerminalSocket(address, {
    attached(dropped) {
      if (dropped > 0) terminal.write(`\r\n[${dropped} bytes are no longer kept]\r\n`);
      resize();
    },
    output: (bytes) => terminal.write(bytes),
    exited: (code) =>
      tell(
        code === null ? 'It was ended.' : `It ended with exit code ${code}.`,
        code === 0 ? 'calm' : 'warn',
      ),
    gone: (why) => tell(why, 'bad'),
    connected: (is) => tell(is ? 'Connected' : 'The connection is lost, trying again…', is ? 'good' : 'warn'),
  });
  const encoder = new TextEncoder();
  terminal.onData((text) => socket.send(encoder.encode(text)));
  terminal.onBinary((text) => socket.send(Uint8Array.from(text, (byte) => byte.charCodeAt(0))));
  const watching = new ResizeObserver(resize);
  watching.observe(place);
  whenThemeChanges(signal, () => {
    terminal.options.theme = terminalColours();
  });
  signal.addEventListener(
    'abort',
    () => {
      watching.disconnect();
      socket.close();
      terminal.dispose();
      restore();
    },
    { once: true },
  );
  resize();
  terminal.focus();
}
