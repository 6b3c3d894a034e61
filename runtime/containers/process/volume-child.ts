import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { BerthError } from '../../contracts/errors.ts';
import { LastBytes } from '../last-bytes.ts';
import { LAST_WORDS_BYTES, type RunEnd, type VolumeRun } from '../volume-run.ts';
import { systemView } from './system-view.ts';
import type { VolumeFolder } from './volume-folder.ts';

export interface ChildTask {
  folder: VolumeFolder;
  script: string;
  args: string[];
  bwrapPath: string | undefined;
  /** Folders of the runtime that no sandbox may see. */
  secret: readonly string[];
}

const MOUNT = '/volume';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** What it takes to read all files of a home, and to give them their owners and modes. */
const CAPABILITIES = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_FSETID'];
/** What a runtime that was killed had begun ends by itself; so long it is waited for. */
const LOCK_SECONDS = 30;

/** Starts a script on the files of a volume, in a process group of its own. One at a time has the volume's lock. */
export async function startChild(task: ChildTask): Promise<VolumeRun> {
  const { folder, script, args, bwrapPath } = task;
  const command =
    bwrapPath === undefined
      ? ['bash', '-c', script, 'bash', folder.home, ...args]
      : [bwrapPath, ...(await sandbox(task)), '--', 'bash', '-c', script, 'bash', MOUNT, ...args];
  const lock = ['--no-fork', '--exclusive', '--timeout', `${LOCK_SECONDS}`, folder.lock];
  const child = spawn('flock', [...lock, ...command], {
    cwd: '/',
    env: { PATH, LC_ALL: 'C' },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}); // told by how it ends
  const words = new LastBytes(LAST_WORDS_BYTES);
  child.stderr.on('data', (piece: Buffer) => words.add(piece));
  const ended = endOf(child, words);
  ended.catch(() => {}); // for whoever asks
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new BerthError('ARCHIVE_FAILED', `flock can't be started: ${error}`, {}, error);
  }
  return { stdin: child.stdin, stdout: child.stdout, ended, remove: () => killed(child) };
}

async function endOf(child: ChildProcess, words: LastBytes): Promise<RunEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', reject);
  child.once('close', (code, signal) =>
    resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  );
  return { exitCode: await promise, words: words.toString() };
}

/** With nothing of the machine but its programs, and of its files the volume's. It dies with the runtime. */
async function sandbox({ folder, secret }: ChildTask): Promise<string[]> {
  const view = await systemView(secret);
  const namespaces = [
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
  ];
  return [
    // In a user namespace of one's own the same capabilities are worth as much, towards one's own files.
    ...(process.getuid?.() === 0 ? [] : ['--unshare-user']),
    ...[...namespaces, '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...CAPABILITIES.flatMap((capability) => ['--cap-add', capability]),
    ...view.shown.flatMap(({ path, link }) =>
      link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path],
    ),
    ...view.hidden.flatMap((path) => ['--tmpfs', path]),
    ...[
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--bind',
      folder.home,
      MOUNT,
      '--remount-ro',
      '/',
      '--chdir',
      '/',
    ],
  ];
}

/** With all that it has started: what is inside a sandbox dies a moment after it, and has its stderr until then. */
async function killed(child: ChildProcess): Promise<void> {
  const { pid, stderr } = child;
  if (pid === undefined) return;
  const gone = stderr === null || stderr.closed ? undefined : once(stderr, 'close');
  if (child.exitCode === null && child.signalCode === null) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // else it ended meanwhile
    }
  }
  await gone;
}
