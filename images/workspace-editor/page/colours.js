const dark = matchMedia('(prefers-color-scheme: dark)');

/** The sixteen colours of a terminal, readable on each ground. */
const LIGHT = {
  background: '#ffffff',
  foreground: '#22252c',
  cursor: '#2557d6',
  selectionBackground: '#c3d5ff',
  black: '#22252c',
  red: '#b3261e',
  green: '#1d6b2e',
  yellow: '#7a5200',
  blue: '#2557d6',
  magenta: '#8a2a96',
  cyan: '#0f6674',
  white: '#5c6270',
  brightBlack: '#5c6270',
  brightRed: '#c4302b',
  brightGreen: '#277a38',
  brightYellow: '#8a5d00',
  brightBlue: '#3867e0',
  brightMagenta: '#9c3aa8',
  brightCyan: '#177584',
  brightWhite: '#22252c',
};

const DARK = {
  background: '#282c34',
  foreground: '#dfe2e8',
  cursor: '#8fb1ff',
  selectionBackground: '#46557a',
  black: '#a3a9b8',
  red: '#ff8b82',
  green: '#98c97c',
  yellow: '#e5c07b',
  blue: '#8fb1ff',
  magenta: '#d79ae8',
  cyan: '#6cc5d1',
  white: '#dfe2e8',
  brightBlack: '#a3a9b8',
  brightRed: '#ffa59e',
  brightGreen: '#b1dd97',
  brightYellow: '#f2d49b',
  brightBlue: '#aec6ff',
  brightMagenta: '#e6b8f2',
  brightCyan: '#90dae4',
  brightWhite: '#ffffff',
};

export const terminalColours = () => (dark.matches ? DARK : LIGHT);

export const editorTheme = () => `ace/theme/cloud_editor${dark.matches ? '_dark' : ''}`;

/** @param {() => void} act */
export const whenColoursChange = (act) => dark.addEventListener('change', act);
