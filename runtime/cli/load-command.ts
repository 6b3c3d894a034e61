import type { Command } from './command.ts';
import type { CommandName } from './command-table.ts';

type Loaders = { readonly [Name in CommandName]: () => Promise<{ command: Command<Name> }> };

/** Each command is loaded only when it is called: help is quick, and a call of one knows nothing of the others. */
const LOADERS: Loaders = {
  start: () => import('./service/start.ts'),
  config: () => import('./service/config.ts'),
  'destroy-all': () => import('./service/destroy-all.ts'),
  'keys create': () => import('./key/create.ts'),
  'keys ls': () => import('./key/ls.ts'),
  'keys revoke': () => import('./key/revoke.ts'),
  run: () => import('./conversation/run.ts'),
  exec: () => import('./conversation/exec.ts'),
  cp: () => import('./conversation/cp.ts'),
  ls: () => import('./conversation/ls.ts'),
  rm: () => import('./conversation/rm.ts'),
  ps: () => import('./conversation/ps.ts'),
  'workspace create': () => import('./workspace/create.ts'),
  'workspace ls': () => import('./workspace/ls.ts'),
  'workspace open': () => import('./workspace/open.ts'),
  'workspace start': () => import('./workspace/start.ts'),
  'workspace stop': () => import('./workspace/stop.ts'),
  'workspace rm': () => import('./workspace/rm.ts'),
  'function deploy': () => import('./function/deploy.ts'),
  'function invoke': () => import('./function/invoke.ts'),
  'function ls': () => import('./function/ls.ts'),
  'function rm': () => import('./function/rm.ts'),
  logs: () => import('./container/logs.ts'),
  pool: () => import('./container/pool.ts'),
  completion: () => import('./completion/completion.ts'),
};

export async function loadCommand<Name extends CommandName>(name: Name): Promise<Command<Name>> {
  return (await LOADERS[name]()).command;
}
