import { theme } from '../parts/theme.js';

/** The sixteen colours in the order of their numbers, each readable on its ground. */
const NAMES = /** @type {const} */ ([
  ...['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'],
  ...[
    'brightBlack',
    'brightRed',
    'brightGreen',
    'brightYellow',
    'brightBlue',
    'brightMagenta',
    'brightCyan',
    'brightWhite',
  ],
]);

const PALETTES = {
  light: {
    ground: ['#ffffff', '#1b2430', '#0b6580', '#bfe3ee'],
    sixteen:
      '#1b2430 #b42318 #176b43 #855000 #1d5fa8 #86308f #0b6580 #5a6678 #5a6678 #c5331f #1f7d50 #935a00 #2b6fbc #96409f #14748f #1b2430',
  },
  dark: {
    ground: ['#0f151c', '#e4e9f0', '#63c6df', '#2c4b57'],
    sixteen:
      '#9aa7b8 #ff8f85 #7fce9f #e8bf6f #86b8f5 #d99ce3 #63c6df #e4e9f0 #9aa7b8 #ffa89f #9bdfb5 #f3d394 #a6cbf9 #e6b7ee #8dd9ec #ffffff',
  },
};

/** @returns {Record<string, string>} */
export function terminalColours() {
  const { ground, sixteen } = PALETTES[theme()];
  const [background = '', foreground = '', cursor = '', selectionBackground = ''] = ground;
  const colours = sixteen.split(' ');
  return {
    background,
    foreground,
    cursor,
    selectionBackground,
    ...Object.fromEntries(NAMES.map((name, at) => [name, colours[at] ?? foreground])),
  };
}
