// What the server puts below vendor/, by the packages that it is of.

declare module '*/vendor/xterm.mjs' {
  export * from '@xterm/xterm';
}

declare module '*/vendor/addon-fit.mjs' {
  export * from '@xterm/addon-fit';
}

/** Ace is a plain script: it makes this. */
declare const ace: typeof import('ace-builds');
