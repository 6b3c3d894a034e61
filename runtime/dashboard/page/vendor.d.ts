// What the runtime puts below vendor/, by the packages that it is of.

declare module '*/vendor/xterm.mjs' {
  export * from '@xterm/xterm';
}

declare module '*/vendor/addon-fit.mjs' {
  export * from '@xterm/addon-fit';
}
