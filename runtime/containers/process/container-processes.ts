import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BerthError } from '../../contracts/errors.ts';
import type { ContainerRecord } from './container-folder.ts';
import { type ProcessTable, type RunningProcess, readProcessTable, sameProcess } from './process-table.ts';

const POLL_MS = 5;
const KILL_WITHIN_MS = 10_000;
const STOP_WITHIN_MS = 2_000;
const FEWEST_LOOKS = 20;

/**
 * The processes of a container. Under bwrap they are the tree below bwrap: orphans stay below the first process of
 * their pid namespace. Without it, those that left the tree are known by their session and by what they inherited.
 */
export async function processesOf(record: ContainerRecord): Promise<RunningProcess[]> {
  const table = await readProcessTable();
  const leader = record.process && sameProcess(table, record.process);
  const found = leader === undefined ? [] : tree(table, leader);
  return record.isolated ? found : withMarked(record, table, found, leader?.pid);
}

/** Also those that lost their place in the tree: bwrap may be killed before what it starts is bound to its life. */
async function remainsOf(record: ContainerRecord): Promise<RunningProcess[]> {
  return withMarked(record, await readProcessTable(), await processesOf(record));
}

async function withMarked(
  record: ContainerRecord,
  table: ProcessTable,
  known: RunningProcess[],
  session?: number,
): Promise<RunningProcess[]> {
  const found = new Map(known.map((each) => [each.pid, each]));
  for (const each of table.values()) {
    if (found.has(each.pid)) continue;
    if (each.session === session || (await inherited(each.pid, record.marker))) found.set(each.pid, each);
  }
  return [...found.values()];
}

/** The first comes first, and parents before their children. */
function tree(table: ProcessTable, leader: RunningProcess): RunningProcess[] {
  const found = [leader];
  for (const parent of found) {
    for (const each of table.values()) if (each.parent === parent.pid) found.push(each);
  }
  return found;
}

async function inherited(pid: number, marker: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''); // gone, or not ours to read
  return environment.split('\0').includes(marker);
}

/** Kills everything and resolves once it is gone. */
export async function killAll(record: ContainerRecord): Promise<void> {
  const giveUp = performance.now() + KILL_WITHIN_MS;
  let alive = await remainsOf(record);
  while (alive.length > 0) {
    for (const each of alive) signal(each.pid, 'SIGKILL');
    await sleep(POLL_MS);
    const table = await readProcessTable();
    const dying = alive.filter((each) => sameProcess(table, each) !== undefined);
    alive = dying.length > 0 ? dying : await remainsOf(record);
    if (alive.length > 0 && performance.now() > giveUp) {
      const pids = alive.map(({ pid }) => pid).join(', ');
      throw new BerthError('BACKEND_UNAVAILABLE', `the processes ${pids} of ${record.id} can't be killed`);
    }
  }
}

/** Asks the agent to leave. Under bwrap it is the child of the namespace's first process, itself a child of bwrap. */
export async function terminate(record: ContainerRecord): Promise<void> {
  const all = await processesOf(record);
  const agent = record.isolated ? (all[2] ?? all[0]) : all[0];
  if (agent !== undefined) signal(agent.pid, 'SIGTERM');
  for (const each of all) signal(each.pid, 'SIGCONT');
}

/**
 * Stops everything: looks again until nothing new has been started by what still ran. A blocked process does nothing
 * more either once it was told to stop: it may wait for a child that has stopped between its vfork and its exec.
 */
export async function stopAll(record: ContainerRecord): Promise<void> {
  const told = new Set<string>();
  const giveUp = performance.now() + STOP_WITHIN_MS;
  // On a busy machine a look takes long, and what was told to stop gets no turn to do so.
  for (let looks = 0; looks < FEWEST_LOOKS || performance.now() < giveUp; looks += 1) {
    const key = ({ pid, started }: RunningProcess) => `${pid}/${started}`;
    const running = (await processesOf(record)).filter(
      (each) => !each.stopped && !(each.blocked && told.has(key(each))),
    );
    if (running.length === 0) return;
    for (const each of running) {
      signal(each.pid, 'SIGSTOP');
      told.add(key(each));
    }
    await sleep(POLL_MS);
  }
  await continueAll(record);
  throw new BerthError(
    'BACKEND_UNAVAILABLE',
    `${record.id} starts processes faster than they can be stopped`,
  );
}

export async function continueAll(record: ContainerRecord): Promise<void> {
  for (const each of await processesOf(record)) signal(each.pid, 'SIGCONT');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // else it ended meanwhile
  }
}
