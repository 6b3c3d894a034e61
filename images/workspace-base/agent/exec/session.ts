import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../problem.ts';
import { HAS_PROC } from '../proc.ts';

const POLL_MS = 50;

/** How often a killed session is looked at before it is given up: what then lives is beyond signals. */
const LAST_LOOKS = 4;

/**
 * The process groups with a living process in a command's session. The session is looked at, not only
 * the command's own group, because shells with job control and `timeout` put their children in others.
 */
function livingGroups(leader: number): number[] {
  if (!HAS_PROC) return signalGroup(leader, 0) ? [leader] : [];
  const groups = new Set<number>();
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const process = readStat(pid);
    if (process?.session === leader && process.state !== 'Z') groups.add(process.group);
  }
  return [...groups];
}

function readStat(pid: string): { state: string; group: number; session: number } | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ESRCH') return undefined; // it ended meanwhile
    throw error;
  }
  // The name of the program comes before, in brackets, and may itself hold brackets and spaces.
  const [state = '', , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, group: Number(group), session: Number(session) };
}

/** Returns whether there was anyone to signal. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH' || errnoOf(error) === 'EPERM') return false;
    throw error;
  }
}

/** Whether a process has this number, which is a session's while anything in that lives. */
export function hasLeader(leader: number): boolean {
  try {
    return process.kill(leader, 0);
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

/** Signals everything in the session that `leader` began; returns whether anything there was alive. */
export function signalSession(leader: number, signal: NodeJS.Signals): boolean {
  const groups = livingGroups(leader);
  for (const group of groups) signalGroup(group, signal);
  return groups.length > 0;
}

/** Ends a session: SIGTERM, and SIGKILL for whatever is left after `killAfterMs`. */
export async function endSession(leader: number, killAfterMs: number): Promise<void> {
  const killAt = performance.now() + killAfterMs;
  if (!signalSession(leader, 'SIGTERM')) return;
  while (performance.now() < killAt) {
    await sleep(Math.min(POLL_MS, killAt - performance.now()));
    if (livingGroups(leader).length === 0) return;
  }
  for (let look = 0; look < LAST_LOOKS && signalSession(leader, 'SIGKILL'); look += 1) await sleep(POLL_MS);
}
