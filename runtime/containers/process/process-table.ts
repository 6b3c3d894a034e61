import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process is its pid and its start time: a pid alone may belong to a later one. */
export interface ProcessIdentity {
  pid: number;
  started: string;
}

export interface RunningProcess extends ProcessIdentity {
  parent: number;
  session: number;
  stopped: boolean;
  /** Waits in the kernel and takes no signal meanwhile. */
  blocked: boolean;
  memoryBytes: number;
  /** Its own time, and that of children it has waited for. */
  cpuNanoseconds: number;
}

/** Every process of the machine but zombies. */
export type ProcessTable = ReadonlyMap<number, RunningProcess>;

const TICK_NANOSECONDS = 1e9 / 100; // what the kernel shows is in hundredths, whatever it counts in

export async function readProcessTable(): Promise<ProcessTable> {
  const found = existsSync('/proc/self/stat') ? await fromProc() : fromPs(await ps());
  return new Map(found.map((process) => [process.pid, process]));
}

/** The process, if it is still the same one. */
export function sameProcess(table: ProcessTable, identity: ProcessIdentity): RunningProcess | undefined {
  const found = table.get(identity.pid);
  return found?.started === identity.started ? found : undefined;
}

async function fromProc(): Promise<RunningProcess[]> {
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')));
  const page = await pageBytes();
  return stats.flatMap((stat) => parseStat(stat, boot, page) ?? []);
}

/** From the pairs of numbers that the kernel gives every program; a program that changed its user can't read its own. */
async function pageBytes(): Promise<number> {
  const AT_PAGESZ = 6n;
  const pairs = await readFile('/proc/self/auxv').catch(() => Buffer.alloc(0));
  for (let at = 0; at + 16 <= pairs.length; at += 16) {
    if (pairs.readBigUInt64LE(at) === AT_PAGESZ) return Number(pairs.readBigUInt64LE(at + 8));
  }
  return 4096;
}

/** One line of /proc/<pid>/stat. The name comes second, in brackets, and may itself hold brackets and spaces. */
export function parseStat(stat: string, boot: string, pageBytes: number): RunningProcess | undefined {
  const end = stat.lastIndexOf(')');
  const [state = '', ...fields] = stat.slice(end + 2).split(' ');
  if (end < 0 || state === 'Z' || state === 'X') return undefined;
  const field = (number: number) => Number(fields[number - 4]); // as numbered in proc(5), whose 4th is the first here
  return {
    pid: Number.parseInt(stat, 10),
    started: `${boot}/${field(22)}`,
    parent: field(4),
    session: field(6),
    stopped: state === 'T',
    blocked: state === 'D',
    memoryBytes: field(24) * pageBytes,
    cpuNanoseconds: (field(14) + field(15) + field(16) + field(17)) * TICK_NANOSECONDS,
  };
}

async function ps(): Promise<string> {
  const columns = 'pid=,ppid=,sess=,stat=,rss=,time=,lstart=';
  return (await promisify(execFile)('ps', ['-A', '-o', columns], { maxBuffer: 64 * 1024 * 1024 })).stdout;
}

/** Where there is no /proc, as on macOS. */
export function fromPs(text: string): RunningProcess[] {
  return text.split('\n').flatMap((line) => {
    const [pid, parent, session, state, kilobytes, time, ...started] = line.trim().split(/\s+/);
    if (pid === undefined || state === undefined || state.startsWith('Z')) return [];
    return {
      pid: Number(pid),
      started: started.join(' '),
      parent: Number(parent),
      session: Number(session),
      stopped: state.startsWith('T'),
      blocked: /^[DU]/.test(state),
      memoryBytes: Number(kilobytes) * 1024,
      cpuNanoseconds: parseTime(time ?? '') * 1e9,
    };
  });
}

/** `[[days-]hours:]minutes:seconds` as seconds. */
function parseTime(text: string): number {
  const [clock = '', days = '0'] = text.split('-').reverse();
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
}
