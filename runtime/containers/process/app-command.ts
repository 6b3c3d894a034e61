import { dirname, relative } from 'node:path';
import { APP_PROXY_PORT, appEnvironment, portEnvironment } from '../app-environment.ts';
import type { AppSpec } from '../container-backend.ts';
import {
  AGENT_MOUNT,
  AGENT_SOCKET_NAME,
  PROXY_MOUNT,
  PROXY_SOCKET_NAME,
  type SocketFolder,
} from '../socket-folder.ts';
import { CONTAINER_VARIABLE, type ContainerFolder } from './container-folder.ts';
import {
  NODE_FLAGS,
  SANDBOX_BIN,
  type Sandbox,
  type StartCommand,
  SYSTEM_PATH,
  underBwrap,
} from './sandbox-command.ts';

/** The program of an image, as its sources have it. */
export interface AppProgram {
  /** It listens on `PORT` of loopback. */
  entry: string;
  /** Node unless said; found where the system has its programs. */
  runsBy?: 'python3';
  /** All files that it needs are below this. */
  root: string;
  /** The packages that it needs. */
  modules?: string;
}

/** Folders of the volume. */
export interface AppVolume {
  home: string;
  /** Where Node keeps what it has compiled for the next start; none: it keeps nothing. */
  compiled: string | undefined;
}

export interface AppPlace {
  folder: ContainerFolder;
  sockets: SocketFolder;
  nodePath: string;
  /** The program that leads to the app and starts it (images/workspace-base/port), and what that stands on. */
  portEntry: string;
  agentEntry: string;
  program: AppProgram;
  app: AppSpec;
  volume: AppVolume | undefined;
  env: Record<string, string>;
}

const IN_SANDBOX = {
  program: '/opt/berth/app',
  port: '/opt/berth/port',
  modules: '/opt/berth/node_modules',
  compiled: '/opt/berth/compiled',
};

/** A child like any other; its home is the volume. The machine's loopback is everybody's, so its ports are free ones. */
export function plainAppCommand(place: AppPlace, free: { app: number; proxy: number }): StartCommand {
  const { folder, sockets, nodePath, portEntry, program } = place;
  const home = place.volume?.home ?? folder.home;
  return {
    program: nodePath,
    args: [
      ...[...NODE_FLAGS, portEntry, ...keepingCompiled(place.volume?.compiled)],
      ...run(program, nodePath, program.entry),
    ],
    cwd: home,
    env: environment(place, {
      home,
      tmp: folder.tmp,
      bin: dirname(nodePath),
      socket: `${sockets.agentFolder}/${AGENT_SOCKET_NAME}`,
      proxySocket: sockets.proxySocket,
      ports: free,
    }),
  };
}

/** The app under bwrap, with a loopback of its own. */
export function sandboxAppCommand(place: AppPlace, sandbox: Sandbox): StartCommand {
  const { folder, sockets, nodePath, portEntry, agentEntry, program, app, volume } = place;
  const mount = app.volume?.mount ?? '/home/agent';
  const main = `${IN_SANDBOX.program}/${relative(program.root, program.entry)}`;
  return {
    ...underBwrap(sandbox, {
      hostname: folder.id,
      tmp: folder.tmp,
      nodePath,
      folders: parentsOf(mount),
      binds: [
        ...homeBind(place, mount),
        ...(volume?.compiled === undefined ? [] : ['--bind', volume.compiled, IN_SANDBOX.compiled]),
        ...['--bind', sockets.agentFolder, AGENT_MOUNT, '--ro-bind', sockets.proxyFolder, PROXY_MOUNT],
        ...[
          '--ro-bind',
          dirname(portEntry),
          IN_SANDBOX.port,
          '--ro-bind',
          dirname(agentEntry),
          '/opt/berth/agent',
        ],
        ...['--ro-bind', program.root, IN_SANDBOX.program],
        ...(program.modules === undefined ? [] : ['--ro-bind', program.modules, IN_SANDBOX.modules]),
      ],
      run: [
        ...[`${IN_SANDBOX.port}/main.ts`, ...keepingCompiled(volume?.compiled && IN_SANDBOX.compiled)],
        ...run(program, `${SANDBOX_BIN}/node`, main),
      ],
    }),
    env: environment(place, {
      home: mount,
      tmp: '/tmp',
      bin: SANDBOX_BIN,
      socket: `${AGENT_MOUNT}/${AGENT_SOCKET_NAME}`,
      proxySocket: `${PROXY_MOUNT}/${PROXY_SOCKET_NAME}`,
      ports: { app: app.port, proxy: APP_PROXY_PORT },
    }),
  };
}

/** Python says at once what it has to say, and leaves nothing beside its sources. */
function run({ runsBy }: AppProgram, nodePath: string, entry: string): string[] {
  return runsBy === undefined ? [nodePath, ...NODE_FLAGS, entry] : [runsBy, '-u', '-B', entry];
}

function homeBind({ folder, app, volume }: AppPlace, mount: string): string[] {
  const isReadOnly = app.readOnlyRoot && volume === undefined;
  return [isReadOnly ? '--ro-bind' : '--bind', volume?.home ?? folder.home, mount];
}

/**
 * Of the app alone: what its user wrote there in an earlier run is code of the next start, and the port program has to
 * have its places before any of that runs.
 */
function keepingCompiled(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['/usr/bin/env', `NODE_COMPILE_CACHE=${folder}`];
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '/' ? [] : [...parentsOf(parent), parent];
}

function environment(
  { folder, env }: AppPlace,
  at: {
    home: string;
    tmp: string;
    bin: string;
    socket: string;
    proxySocket: string;
    ports: { app: number; proxy: number };
  },
): Record<string, string> {
  const ports = { port: at.ports.app, proxyPort: at.ports.proxy };
  return {
    PATH: `${at.home}/.local/bin:${at.bin}:${SYSTEM_PATH}`,
    LANG: 'C.UTF-8',
    USER: 'agent',
    ...appEnvironment(env, ports),
    HOME: at.home,
    TMPDIR: at.tmp,
    [CONTAINER_VARIABLE]: folder.mark,
    ...portEnvironment({ socket: at.socket, proxySocket: at.proxySocket, ...ports }),
  };
}
