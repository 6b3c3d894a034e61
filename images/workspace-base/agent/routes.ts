import type { Handler } from './agent.ts';
import { postExec } from './exec/post-exec.ts';
import { postExecBinary } from './exec/post-exec-binary.ts';
import { getHealth } from './health.ts';
import { postAssign } from './post-assign.ts';

/** Handlers by method. */
type Route = ReadonlyMap<string, Handler>;

// What a sandbox needs before its first file call is loaded at the start, the rest when it is called.
const readFile: Handler = async (call) => (await import('./files/get-file.ts')).getFile(call);
const writeFile: Handler = async (call) => (await import('./files/put-file.ts')).putFile(call);
const deleteFile: Handler = async (call) => (await import('./files/delete-file.ts')).deleteFile(call);
const manifest: Handler = async (call) => (await import('./files/get-manifest.ts')).getManifest(call);
const changes: Handler = async (call) => (await import('./files/get-changes.ts')).getChanges(call);
const readTar: Handler = async (call) => (await import('./files/get-tar.ts')).getTar(call);
const writeTar: Handler = async (call) => (await import('./files/put-tar.ts')).putTar(call);
const execute: Handler = async (call) => (await import('./executions/post-execute.ts')).postExecute(call);
const events: Handler = async (call) => (await import('./executions/get-events.ts')).getEvents(call);
const cancel: Handler = async (call) => (await import('./executions/post-cancel.ts')).postCancel(call);

const newTerminal: Handler = async (call) => (await import('./terminals/routes.ts')).postTerminal(call);
const allTerminals: Handler = async (call) => (await import('./terminals/routes.ts')).getTerminals(call);
const endTerminal: Handler = async (call) => (await import('./terminals/routes.ts')).deleteTerminal(call);
const terminalLine: Handler = async (call) => (await import('./terminals/routes.ts')).openLine(call);

const FILE: [string, Handler][] = [
  ['GET', readFile],
  ['HEAD', readFile],
  ['PUT', writeFile],
  ['DELETE', deleteFile],
];

const FILE_ROUTE: Route = new Map(FILE);

/** Of one execution, by the last part of the path. */
const EXECUTION_ROUTES = new Map<string, Route>([
  ['events', new Map([['GET', events]])],
  ['cancel', new Map([['POST', cancel]])],
]);

/** Of one terminal, likewise. */
const TERMINAL_ROUTES = new Map<string, Route>([
  ['', new Map([['DELETE', endTerminal]])],
  ['socket', new Map([['GET', terminalLine]])],
]);

const ROUTES = new Map<string, Route>([
  ['/health', new Map([['GET', getHealth]])],
  ['/assign', new Map([['POST', postAssign]])],
  ['/exec', new Map([['POST', postExec]])],
  ['/exec/binary', new Map([['POST', postExecBinary]])],
  ['/execute', new Map([['POST', execute]])],
  [
    '/terminals',
    new Map([
      ['GET', allTerminals],
      ['POST', newTerminal],
    ]),
  ],
  ['/files', new Map([['GET', manifest]])],
  // A file of this name can still be written, and read as `/files/%63hanges`.
  ['/files/changes', new Map([...FILE, ['GET', changes]])],
  [
    '/files.tar',
    new Map([
      ['GET', readTar],
      ['PUT', writeTar],
    ]),
  ],
]);

/** The route of a path as it came, percent-encoded. */
export function findRoute(path: string): Route | undefined {
  if (path.startsWith('/executions/')) return EXECUTION_ROUTES.get(partsAfterId(path));
  if (path.startsWith('/terminals/')) return TERMINAL_ROUTES.get(partsAfterId(path));
  return ROUTES.get(path) ?? (path.startsWith('/files/') ? FILE_ROUTE : undefined);
}

function partsAfterId(path: string): string {
  return path.split('/', 5).slice(3).join('/');
}
