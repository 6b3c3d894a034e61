import { existsSync } from 'node:fs';

/** The user's shell. */
export function findShell(env: NodeJS.ProcessEnv): string {
  const chosen = env.SHELL;
  const candidates = [...(chosen?.startsWith('/') ? [chosen] : []), '/bin/bash'];
  return candidates.find((path) => !path.endsWith('/nologin') && existsSync(path)) ?? '/bin/sh';
}

/**
 * What a shell in the browser needs to know. The address is the editor's: a user's own server takes another. So is the
 * place of its compiled code.
 */
export function shellEnvironment(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const { HOST: _host, PORT: _port, NODE_COMPILE_CACHE: _compiled, ...rest } = env;
  return { LANG: 'C.UTF-8', ...rest, HOME: home, TERM: 'xterm-256color', COLORTERM: 'truecolor' };
}
