import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** On all that an emulator makes: which one, and which process it lives in. */
export const LABEL = { emulator: 'berth.ecs-emulator', owner: 'berth.ecs-emulator.owner' } as const;

/** This process, told apart from a later one of the same number. */
export function thisProcess(): string {
  return `${hostname()}/${process.pid}/${startedAt(process.pid)}`;
}

/** Whether what is labelled so belongs to a process of this machine that has ended. */
export function isDead(owner: string | undefined): boolean {
  const [host, pid, started] = owner?.split('/') ?? [];
  return host === hostname() && pid !== undefined && startedAt(Number(pid)) !== started;
}

/** In the kernel's ticks since it booted; empty: there is no such process. */
function startedAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
