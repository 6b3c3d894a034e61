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

const FILE: [string, Handler][] = [
  ['GET', readFile],
  ['HEAD', readFile],
  ['PUT', writeFile],
  ['DELETE', deleteFile],
];

const FILE_ROUTE: Route = new Map(FILE);

const ROUTES = new Map<string, Route>([
  ['/health', new Map([['GET', getHealth]])],
  ['/assign', new Map([['POST', postAssign]])],
  ['/exec', new Map([['POST', postExec]])],
  ['/exec/binary', new Map([['POST', postExecBinary]])],
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
  return ROUTES.get(path) ?? (path.startsWith('/files/') ? FILE_ROUTE : undefined);
}
