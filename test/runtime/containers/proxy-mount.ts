import { once } from 'node:events';
import { chmodSync, chownSync, lstatSync, readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { expect } from 'vitest';
import {
  PROXY_MOUNT,
  PROXY_SOCKET_NAME,
  type SocketFolder,
} from '../../../runtime/containers/socket-folder.ts';
import type { TestAgent } from '../../contract/container-backend/agent-calls.ts';

const SOCKET = `${PROXY_MOUNT}/${PROXY_SOCKET_NAME}`;
/** Of one that a proxy listens on: the container's user is not the runtime's. */
export const SOCKET_MODE = 0o666;

/** Stands in for the egress proxy: it greets. */
export async function listenAsProxy(
  folder: Pick<SocketFolder, 'proxySocket'>,
  owner = process.getuid?.() ?? 0,
): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}).end('the proxy'));
  await once(server.listen(folder.proxySocket), 'listening');
  chmodSync(folder.proxySocket, SOCKET_MODE);
  if (owner !== process.getuid?.()) chownSync(folder.proxySocket, owner, owner);
  return server;
}

/** What user code gets for connecting to the proxy's socket, by its path or through the agent's port. */
export async function greeting(agent: TestAgent): Promise<string[]> {
  const { stdout } = await agent.python(`
import os, socket
for family, address in ((socket.AF_UNIX, '${SOCKET}'), (socket.AF_INET, ('127.0.0.1', 8080))):
    s = socket.socket(family)
    try:
        s.connect(address)
        print(s.recv(100).decode())
    except OSError as e:
        print(type(e).__name__)`);
  return stdout.trim().split('\n');
}

/** User code tries all there is; afterwards the folder is what it was, and the same proxy answers. */
export async function expectUnchangeable(agent: TestAgent, folder: SocketFolder): Promise<void> {
  const state = () => {
    const { ino, uid, gid, mode, mtimeMs } = lstatSync(folder.proxySocket);
    return { ino, uid, gid, mode, mtimeMs, files: readdirSync(folder.proxyFolder) };
  };
  const before = state();
  const { stdout, stderr } = await agent.python(ATTEMPTS);
  expect(stderr).toBe('');
  const outcomes = Object.entries<string>(JSON.parse(stdout));
  expect(outcomes).toHaveLength(12);
  for (const [attempt, outcome] of outcomes) expect(outcome, attempt).toMatch(/^(EROFS|EACCES|EPERM|EBUSY)$/);
  expect(state()).toEqual(before);
  expect(await greeting(agent)).toEqual(['the proxy', 'the proxy']);
}

const ATTEMPTS = `
import ctypes, errno, json, os, socket
folder, at = '${PROXY_MOUNT}', '${SOCKET}'
libc = ctypes.CDLL(None, use_errno=True)
def bind(path):
    socket.socket(socket.AF_UNIX).bind(path)
def remount():
    if libc.mount(b'none', folder.encode(), None, 32 | 4096, None) != 0:
        raise OSError(ctypes.get_errno(), 'mount')
def unmount():
    if libc.umount2(folder.encode(), 2) != 0:
        raise OSError(ctypes.get_errno(), 'umount')
open('/tmp/mine', 'w').close()
outcomes = {}
for name, attempt in {
    'remove': lambda: os.unlink(at),
    'rename': lambda: os.rename(at, folder + '/other'),
    'replace': lambda: os.symlink('/tmp/mine', at + '.new'),
    'hard link': lambda: os.link(at, folder + '/linked'),
    'chmod': lambda: os.chmod(at, 0),
    'chmod folder': lambda: os.chmod(folder, 0o777),
    'times': lambda: os.utime(at, (1, 1)),
    'bind beside': lambda: bind(folder + '/x.sock'),
    'create': lambda: os.mkdir(folder + '/x'),
    'move folder': lambda: os.rename(folder, '/berth/elsewhere'),
    'remount': remount,
    'unmount': unmount,
}.items():
    try:
        attempt()
        outcomes[name] = 'done'
    except OSError as e:
        outcomes[name] = errno.errorcode[e.errno]
print(json.dumps(outcomes))`;
