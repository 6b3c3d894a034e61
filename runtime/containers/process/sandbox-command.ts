import type { User } from '../socket-folder.ts';
import type { SystemView } from './system-view.ts';

/** How to start the first program of one container. */
export interface StartCommand {
  program: string;
  args: string[];
  cwd: string;
  /** Given to the program itself: arguments can be read by every user of the machine, and secrets are among these. */
  env: Record<string, string>;
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

export const NODE_FLAGS = ['--disable-sigusr1'];
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Where the sandbox finds our Node. */
export const SANDBOX_BIN = '/opt/berth/bin';
/** Made by name, since bwrap closes to other users what it makes on the way to a mount. */
const FOLDERS = ['/berth', '/home', '/nix', '/opt', '/opt/berth', SANDBOX_BIN, '/run', '/var'];

/**
 * Node under bwrap: with nothing of the machine but its programs and their settings, read-only, and what `binds` adds;
 * no network, no other processes, no capabilities. It dies with the runtime.
 */
export function underBwrap(
  sandbox: Sandbox,
  inside: {
    hostname: string;
    tmp: string;
    nodePath: string;
    folders?: string[];
    binds: string[];
    run: string[];
  },
): Pick<StartCommand, 'program' | 'args' | 'cwd'> {
  return {
    program: sandbox.bwrapPath,
    args: [
      ...namespaces(sandbox.dropTo),
      ...['--hostname', inside.hostname, '--die-with-parent', '--new-session'],
      ...[...FOLDERS, ...(inside.folders ?? [])].flatMap((path) => ['--dir', path]),
      ...sandbox.view.shown.flatMap(({ path, link }) =>
        link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path],
      ),
      ...sandbox.view.hidden.flatMap((path) => ['--tmpfs', path]),
      ...['--ro-bind', sandbox.passwdFile, '/etc/passwd', '--ro-bind', sandbox.groupFile, '/etc/group'],
      ...['--proc', '/proc', '--dev', '/dev'],
      ...['--bind', inside.tmp, '/tmp', '--symlink', '/tmp', '/var/tmp'],
      ...['--ro-bind', inside.nodePath, `${SANDBOX_BIN}/node`],
      ...inside.binds,
      ...['--remount-ro', '/', '--chdir', '/', '--'],
      ...(sandbox.dropTo === undefined ? [] : dropPrivileges(sandbox.dropTo)),
      ...[`${SANDBOX_BIN}/node`, ...NODE_FLAGS, ...inside.run],
    ],
    cwd: '/',
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
