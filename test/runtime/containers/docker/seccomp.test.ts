import { expect, it } from 'vitest';
import { describeWith } from '../../../support/services/provided.ts';
import { useDockerContainer } from './docker-container.ts';

const EPERM = 1;
const ENOSYS = 38;

/** Numbers on x86-64 and, where they differ, on arm64; and arguments that would succeed or fail otherwise. */
const REFUSED: Record<string, { x64: number; arm64: number; args?: string }> = {
  unshare: { x64: 272, arm64: 97, args: '0x10000000' },
  setns: { x64: 308, arm64: 268, args: 'fd, 0' },
  ptrace: { x64: 101, arm64: 117, args: '0, 0, 0, 0' },
  process_vm_readv: { x64: 310, arm64: 270, args: 'pid, 0, 0, 0, 0, 0' },
  process_vm_writev: { x64: 311, arm64: 271, args: 'pid, 0, 0, 0, 0, 0' },
  pidfd_getfd: { x64: 438, arm64: 438, args: '-1, 0, 0' },
  kcmp: { x64: 312, arm64: 272, args: 'pid, pid, 0, 0, 0' },
  keyctl: { x64: 250, arm64: 219, args: '0, -3, 0' },
  add_key: { x64: 248, arm64: 217, args: 'b"user", b"a", b"b", 1, -3' },
  request_key: { x64: 249, arm64: 218, args: 'b"user", b"a", 0, 0' },
  bpf: { x64: 321, arm64: 280, args: '99, 0, 0' },
  perf_event_open: { x64: 298, arm64: 241, args: '0, 0, -1, -1, 99' },
  userfaultfd: { x64: 323, arm64: 282, args: '0xff' },
  io_uring_setup: { x64: 425, arm64: 425, args: '0, 0' },
  io_uring_enter: { x64: 426, arm64: 426, args: '-1, 0, 0, 0, 0, 0' },
  io_uring_register: { x64: 427, arm64: 427, args: '-1, 0, 0, 0' },
  mount: { x64: 165, arm64: 40, args: '0, 0, 0, 0, 0' },
  umount2: { x64: 166, arm64: 39, args: 'b"/nowhere", 0' },
  pivot_root: { x64: 155, arm64: 41, args: 'b"/nowhere", b"/nowhere"' },
  open_tree: { x64: 428, arm64: 428, args: '-100, b"/", 0' },
  move_mount: { x64: 429, arm64: 429, args: '-1, b"", -1, b"", 0xffff' },
  fsopen: { x64: 430, arm64: 430, args: 'b"nothing", 0' },
  fsconfig: { x64: 431, arm64: 431, args: '-1, 0, 0, 0, 0' },
  fsmount: { x64: 432, arm64: 432, args: '-1, 0, 0' },
  fspick: { x64: 433, arm64: 433, args: '-100, b"/nowhere", 0' },
  mount_setattr: { x64: 442, arm64: 442, args: '-1, b"", 0, 0, 0' },
  'clone into a new user namespace': { x64: 56, arm64: 220, args: '0x10000011, 0, 0, 0, 0' },
  'a socket of AF_ALG': { x64: 41, arm64: 198, args: '38, 5, 0' },
  'a socket of AF_VSOCK': { x64: 41, arm64: 198, args: '40, 1, 0' },
  'a socket of AF_ALG in disguise': { x64: 41, arm64: 198, args: 'ctypes.c_ulong((1 << 32) + 38), 5, 0' },
};

describeWith(['docker', 'workspace-base-image'], 'the seccomp profile', () => {
  const container = useDockerContainer();

  const errnoOf = async (calls: Record<string, { x64: number; arm64: number; args?: string }>) => {
    const number = process.arch === 'arm64' ? 'arm64' : 'x64';
    const lines = Object.entries(calls).map(
      ([name, call]) => `call(${JSON.stringify(name)}, ${call[number]}, ${call.args ?? '0'})`,
    );
    const { stdout } = await container().agent.python(`
import ctypes, os, json
libc = ctypes.CDLL(None, use_errno=True)
pid, fd = os.getpid(), os.open('/proc/self/ns/uts', os.O_RDONLY)
found = {}
def call(name, number, *args):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *args)
    found[name] = ctypes.get_errno() if result == -1 else 0
${lines.join('\n')}
print(json.dumps(found))`);
    return JSON.parse(stdout);
  };

  it('refuses what only helps an attacker', async () => {
    expect(await errnoOf(REFUSED)).toEqual(
      Object.fromEntries(Object.keys(REFUSED).map((name) => [name, EPERM])),
    );
  });

  it('says that clone3 is not there, so that libc falls back to clone', async () => {
    expect(await errnoOf({ clone3: { x64: 435, arm64: 435, args: '0, 0' } })).toEqual({ clone3: ENOSYS });
  });

  it('leaves ordinary sockets and personalities alone', async () => {
    expect(
      await errnoOf({
        AF_UNIX: { x64: 41, arm64: 198, args: '1, 1, 0' },
        AF_INET: { x64: 41, arm64: 198, args: '2, 1, 0' },
        AF_NETLINK: { x64: 41, arm64: 198, args: '16, 3, 0' },
        'personality(query)': { x64: 135, arm64: 92, args: 'ctypes.c_ulong(0xffffffff)' },
      }),
    ).toEqual({ AF_UNIX: 0, AF_INET: 0, AF_NETLINK: 0, 'personality(query)': 0 });
  });
});
