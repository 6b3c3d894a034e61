/** What a conversation's container may use and where it may write. */

const MiB = 1024 * 1024;

export const CONVERSATION_LIMITS = { cpus: 2, memoryBytes: 2048 * MiB, pids: 256 } as const;

/** The only writable places of a conversation: memory-backed, sharing the container's memory. */
export const CONVERSATION_TMPFS = {
  '/tmp': 512 * MiB,
  '/var/tmp': 256 * MiB,
  '/run': 64 * MiB,
  '/home/agent': 128 * MiB,
  '/home/agent/.cache': 512 * MiB,
  '/workspace': 1024 * MiB,
} as const;

/** User and group in the container, and the other pair where the runtime itself has the first. */
export const SANDBOX_UID = 1000;
export const SANDBOX_UID_BESIDE_RUNTIME = 10001;
