import { dirname } from 'node:path';
import {
  AGENT_MOUNT,
  AGENT_SOCKET_NAME,
  PROXY_MOUNT,
  PROXY_SOCKET_NAME,
  type SocketFolder,
  type User,
} from '../socket-folder.ts';
import type { ContainerFolder } from './container-folder.ts';
import type { SystemView } from './system-view.ts';

/** How to start the agent of one container. */
export interface AgentCommand {
  program: string;
  args: string[];
  cwd: string;
  /** Given to the program itself: arguments can be read by every user of the machine, and the token is among these. */
  env: Record<string, string>;
}

export interface AgentPlace {
  folder: ContainerFolder;
  sockets: SocketFolder;
  nodePath: string;
  agentEntry: string;
  env: Record<string, string>;
}

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Made by name, since bwrap closes to other users what it makes on the way to a mount. */
const FOLDERS = ['/berth', '/home', '/nix', '/opt', '/opt/berth', '/opt/berth/bin', '/run', '/var'];
/** Where the proxy is found in a network of one's own. */
const PROXY_PORT = 8080;
const ANY_PORT = 0;
const NODE_FLAGS = ['--disable-sigusr1'];

/** A child like any other, in folders of its own. */
export function plainCommand({ folder, sockets, nodePath, agentEntry, env }: AgentPlace): AgentCommand {
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

export interface Sandbox {
  bwrapPath: string;
  view: SystemView;
  /** Where the runtime is root: the user that everything in the sandbox runs as. */
  dropTo: User | undefined;
  /** Name the user inside, in the place of the machine's own files. */
  passwdFile: string;
  groupFile: string;
}

/**
 * The agent under bwrap: with nothing of the machine but its programs and their settings, read-only; no network,
 * no other processes, no capabilities. It dies with the runtime.
 */
export function sandboxCommand(place: AgentPlace, sandbox: Sandbox): AgentCommand {
  const { folder, sockets, nodePath, agentEntry, env } = place;
  const agent = `/opt/berth/agent/${agentEntry.slice(dirname(agentEntry).length + 1)}`;
  return {
    program: sandbox.bwrapPath,
    args: [
      ...namespaces(sandbox.dropTo),
      ...['--hostname', folder.id, '--die-with-parent', '--new-session'],
      ...FOLDERS.flatMap((path) => ['--dir', path]),
      ...sandbox.view.shown.flatMap(({ path, link }) =>
        link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path],
      ),
      ...sandbox.view.hidden.flatMap((path) => ['--tmpfs', path]),
      ...['--ro-bind', sandbox.passwdFile, '/etc/passwd', '--ro-bind', sandbox.groupFile, '/etc/group'],
      ...['--proc', '/proc', '--dev', '/dev'],
      ...['--bind', folder.tmp, '/tmp', '--symlink', '/tmp', '/var/tmp'],
      ...['--bind', folder.home, '/home/agent', '--bind', folder.workspace, '/workspace'],
      ...['--bind', sockets.agentFolder, AGENT_MOUNT, '--ro-bind', sockets.proxyFolder, PROXY_MOUNT],
      ...['--ro-bind', nodePath, '/opt/berth/bin/node', '--ro-bind', dirname(agentEntry), '/opt/berth/agent'],
      ...['--remount-ro', '/', '--chdir', '/', '--'],
      ...(sandbox.dropTo === undefined ? [] : dropPrivileges(sandbox.dropTo)),
      ...['/opt/berth/bin/node', ...NODE_FLAGS, agent],
    ],
    cwd: '/',
    env: environment(
      { USER: 'agent', ...env, BERTH_CONTAINER: folder.id },
      {
        home: '/home/agent',
        tmp: '/tmp',
        workspace: '/workspace',
        socket: `${AGENT_MOUNT}/${AGENT_SOCKET_NAME}`,
        proxy: { socket: `${PROXY_MOUNT}/${PROXY_SOCKET_NAME}`, port: PROXY_PORT },
        bin: '/opt/berth/bin',
      },
    ),
  };
}

/**
 * As root no user namespace: in one, whoever the sandbox says it is would be root towards the machine's files.
 * Instead bwrap keeps what it takes to become another user, which the first program in the sandbox does.
 */
function namespaces(dropTo: User | undefined): string[] {
  const all = ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];
  if (dropTo === undefined)
    return ['--unshare-user', '--uid', '1000', '--gid', '1000', ...all, '--cap-drop', 'ALL'];
  const kept = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'];
  return [...all, '--cap-drop', 'ALL', ...kept.flatMap((capability) => ['--cap-add', capability])];
}

function dropPrivileges({ uid, gid }: User): string[] {
  const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  return ['setpriv', ...user, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'];
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
