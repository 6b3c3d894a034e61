/**
 * What a conversation's processes may ask of the kernel: what the engine's own default profile leaves to a
 * container without capabilities, less what only helps an attacker: keyrings, io_uring, looking into other
 * processes, namespaces and mounts. Names that a kernel or libseccomp doesn't know are skipped by the engine.
 */

const FILES = `
  access chdir chmod chown chown32 close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
  fadvise64 fadvise64_64 fallocate fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat
  fcntl fcntl64 fdatasync fgetxattr flistxattr flock fremovexattr fsetxattr fstat fstat64 fstatat64 fstatfs
  fstatfs64 fsync ftruncate ftruncate64 futimesat getcwd getdents getdents64 getxattr getxattrat
  inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl lchown lchown32 lgetxattr link linkat
  listxattr listxattrat llistxattr _llseek lremovexattr lseek lsetxattr lstat lstat64 mkdir mkdirat mknod
  mknodat name_to_handle_at newfstatat open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2
  read readahead readlink readlinkat readv removexattr removexattrat rename renameat renameat2 rmdir sendfile
  sendfile64 setxattr setxattrat splice stat stat64 statfs statfs64 statx symlink symlinkat sync
  sync_file_range syncfs tee truncate truncate64 umask unlink unlinkat utime utimensat utimensat_time64 utimes
  vmsplice write writev cachestat`;

const WAITING_AND_PIPES = `
  epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd
  eventfd2 futex futex_requeue futex_time64 futex_wait futex_waitv futex_wake io_cancel io_destroy io_getevents
  io_pgetevents io_pgetevents_time64 io_setup io_submit _newselect pause pipe pipe2 poll ppoll ppoll_time64
  pselect6 pselect6_time64 select signalfd signalfd4`;

const MEMORY = `
  brk get_thread_area madvise map_shadow_stack membarrier memfd_create memfd_secret mincore mlock mlock2 mlockall
  mmap mmap2 mprotect mremap mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect
  process_mrelease remap_file_pages set_thread_area`;

const PROCESSES = `
  capget capset execve execveat exit exit_group fork get_robust_list getcpu getegid getegid32 geteuid geteuid32
  getgid getgid32 getgroups getgroups32 getpgid getpgrp getpid getppid getpriority getresgid getresgid32
  getresuid getresuid32 getrlimit getrusage getsid gettid getuid getuid32 ioprio_get ioprio_set kill
  landlock_add_rule landlock_create_ruleset landlock_restrict_self pidfd_open pidfd_send_signal prctl prlimit64
  restart_syscall rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
  rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min
  sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
  sched_rr_get_interval_time64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield
  seccomp set_robust_list set_tid_address setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups
  setgroups32 setpgid setpriority setregid setregid32 setresgid setresgid32 setresuid setresuid32 setreuid
  setreuid32 setrlimit setsid setuid setuid32 sigaltstack sigprocmask sigreturn tgkill tkill ugetrlimit vfork
  wait4 waitid waitpid`;

const MESSAGES = `
  accept accept4 bind connect getpeername getsockname getsockopt ipc listen mq_getsetattr mq_notify mq_open
  mq_timedreceive mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 mq_unlink msgctl msgget msgrcv msgsnd
  recv recvfrom recvmmsg recvmmsg_time64 recvmsg semctl semget semop semtimedop semtimedop_time64 send sendmmsg
  sendmsg sendto setsockopt shmat shmctl shmdt shmget shutdown socketpair`;

const TIME_AND_MACHINE = `
  adjtimex alarm clock_adjtime clock_adjtime64 clock_getres clock_getres_time64 clock_gettime clock_gettime64
  clock_nanosleep clock_nanosleep_time64 getitimer getrandom gettimeofday nanosleep setitimer sysinfo time
  timer_create timer_delete timer_getoverrun timer_gettime timer_gettime64 timer_settime timer_settime64
  timerfd_create timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64 times uname`;

const ARM = 'arm_fadvise64_64 arm_sync_file_range breakpoint cacheflush set_tls sync_file_range2';
const X86 = 'arch_prctl modify_ldt uretprobe';

/** Every CLONE_NEW* flag that `clone` takes. */
const NEW_NAMESPACES = 0x7e02_0000;
/**
 * All but the lowest 5 bits of an address family: families up to 31, which leaves out AF_ALG (38), AF_VSOCK (40)
 * and rarer ones. The mask has 32 bits as the kernel reads no more; `socketcall`, the old way around it, is refused.
 */
const FAMILIES_FROM_32 = 0xffff_ffe0;
/** Linux and 32-bit Linux, each also with the uname of 2.6, and the question which it is. */
const PERSONALITIES = [0x0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff];
const EPERM = 1;
const ENOSYS = 38;

interface Rule {
  names: string[];
  action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  errnoRet?: number;
  args?: { index: number; value: number; valueTwo: number; op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ' }[];
  includes?: { arches: string[] };
}

export const SECCOMP_PROFILE = {
  defaultAction: 'SCMP_ACT_ERRNO',
  defaultErrnoRet: EPERM,
  archMap: [
    { architecture: 'SCMP_ARCH_X86_64', subArchitectures: ['SCMP_ARCH_X86', 'SCMP_ARCH_X32'] },
    { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: ['SCMP_ARCH_ARM'] },
  ],
  syscalls: [
    allow([FILES, WAITING_AND_PIPES, MEMORY, PROCESSES, MESSAGES, TIME_AND_MACHINE].join(' ')),
    { ...allow(ARM), includes: { arches: ['arm', 'arm64'] } },
    { ...allow(X86), includes: { arches: ['amd64', 'x32', 'x86'] } },
    without('clone', NEW_NAMESPACES),
    // Its flags are behind a pointer. libc then falls back to `clone`.
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
    without('socket', FAMILIES_FROM_32),
    ...PERSONALITIES.map((value) => onlyFor('personality', value)),
  ] satisfies Rule[],
} as const;

function allow(names: string): Rule {
  return { names: names.trim().split(/\s+/), action: 'SCMP_ACT_ALLOW' };
}

/** Allowed when none of these bits is set in the first argument. */
function without(name: string, bits: number): Rule {
  return { ...allow(name), args: [{ index: 0, value: bits, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }] };
}

function onlyFor(name: string, value: number): Rule {
  return { ...allow(name), args: [{ index: 0, value, valueTwo: 0, op: 'SCMP_CMP_EQ' }] };
}
