import type { Call } from './call.ts';

type Handler = (call: Call) => Promise<void>;

const trees = () => import('../files/change-tree.ts');
const terminals = () => import('../terminals/terminal-routes.ts');

/** Of each path the methods and where their handler is. It is loaded when it is first asked for: starts are many. */
const ROUTES: Readonly<Record<string, Readonly<Record<string, () => Promise<Handler>>>>> = {
  '/api/folder': {
    GET: async () => (await import('../files/list-folder.ts')).listFolder,
    POST: async () => (await trees()).makeFolder,
  },
  '/api/text': { GET: async () => (await import('../files/read-file.ts')).readText },
  '/api/file': {
    GET: async () => (await import('../files/read-file.ts')).downloadFile,
    PUT: async () => (await import('../files/write-file.ts')).writeFile,
  },
  '/api/move': { POST: async () => (await trees()).moveEntry },
  '/api/entry': { DELETE: async () => (await trees()).deleteEntry },
  '/api/terminals': {
    GET: async () => (await terminals()).listTerminals,
    POST: async () => (await terminals()).openTerminal,
    DELETE: async () => (await terminals()).closeTerminal,
  },
};

export const methodsOf = (path: string): Readonly<Record<string, () => Promise<Handler>>> | undefined =>
  Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
