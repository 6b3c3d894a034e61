import { basename, dirname } from 'node:path';
import {
  AGENT_MOUNT,
  AGENT_SOCKET_NAME,
  PROXY_MOUNT,
  PROXY_SOCKET_NAME,
  type SocketFolder,
} from '../socket-folder.ts';
import type { ContainerFolder } from './container-folder.ts';
import {
  NODE_FLAGS,
  SANDBOX_BIN,
  type Sandbox,
  type StartCommand,
  SYSTEM_PATH,
  underBwrap,
} from './sandbox-command.ts';

export interface AgentPlace {
  folder: ContainerFolder;
  sockets: SocketFolder;
  nodePath: string;
  agentEntry: string;
  env: Record<string, string>;
}

/** Where the proxy is found in a network of one's own. */
const PROXY_PORT = 8080;
const ANY_PORT = 0;

/** A child like any other, in folders of its own. */
export function plainCommand({ folder, sockets, nodePath, agentEntry, env }: AgentPlace): StartCommand {
  return {
    program: nodePath,
    args: [...NODE_FLAGS, agentEntry],
    cwd: folder.workspace,
    env: environment(env, {
      home: folder.home,
      tmp: folder.tmp,
      workspace: folder.workspace,
      socket: `${sockets.agentFolder}/${AGENT_SOCKET_NAME}`,
      // The machine's loopback is everybody's.
      proxy: { socket: sockets.proxySocket, port: ANY_PORT },
      bin: dirname(nodePath),
    }),
  };
}

/** The agent under bwrap. */
export function sandboxCommand(place: AgentPlace, sandbox: Sandbox): StartCommand {
  const { folder, sockets, nodePath, agentEntry, env } = place;
  return {
    ...underBwrap(sandbox, {
      hostname: folder.id,
      tmp: folder.tmp,
      nodePath,
      binds: [
        ...['--bind', folder.home, '/home/agent', '--bind', folder.workspace, '/workspace'],
        ...['--bind', sockets.agentFolder, AGENT_MOUNT, '--ro-bind', sockets.proxyFolder, PROXY_MOUNT],
        ...['--ro-bind', dirname(agentEntry), '/opt/berth/agent'],
      ],
      run: [`/opt/berth/agent/${basename(agentEntry)}`],
    }),
    env: environment(
      { USER: 'agent', ...env, BERTH_CONTAINER: folder.id },
      {
        home: '/home/agent',
        tmp: '/tmp',
        workspace: '/workspace',
        socket: `${AGENT_MOUNT}/${AGENT_SOCKET_NAME}`,
        proxy: { socket: `${PROXY_MOUNT}/${PROXY_SOCKET_NAME}`, port: PROXY_PORT },
        bin: SANDBOX_BIN,
      },
    ),
  };
}

function environment(
  given: Record<string, string>,
  at: {
    home: string;
    tmp: string;
    workspace: string;
    socket: string;
    proxy: { socket: string; port: number };
    bin: string;
  },
): Record<string, string> {
  return {
    PATH: `${at.home}/.local/bin:${at.bin}:${SYSTEM_PATH}`,
    LANG: 'C.UTF-8',
    ...given,
    HOME: at.home,
    TMPDIR: at.tmp,
    AGENT_LISTEN_MODE: 'uds',
    AGENT_SOCKET: at.socket,
    AGENT_PROXY_SOCKET: at.proxy.socket,
    AGENT_PROXY_PORT: String(at.proxy.port),
    AGENT_WORKSPACE: at.workspace,
  };
}
