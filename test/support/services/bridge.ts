import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ip = async (...args: string[]): Promise<string> => (await run('ip', args)).stdout;

const ranges = [201, 240] as const;

export interface Bridge {
  readonly name: string;
  /** A range that is free on this machine, for the networks that the engine makes. */
  readonly addressPool: string;
}

/** Makes a bridge of a name and a range that nothing on this machine uses. */
export async function makeBridge(): Promise<Bridge> {
  for (const second of freeRanges(await ip('-4', 'route', 'show', 'table', 'all'))) {
    const name = `berth${second - ranges[0]}`;
    if (!(await added(name))) continue;
    await ip('address', 'add', `10.${second}.0.1/24`, 'dev', name);
    await ip('link', 'set', name, 'up');
    return { name, addressPool: `base=10.${second}.128.0/17,size=24` };
  }
  throw new Error(`No range of addresses is free among 10.${ranges[0]}.0.0 to 10.${ranges[1]}.255.255.`);
}

export async function removeBridge(name: string): Promise<void> {
  await ip('link', 'delete', name, 'type', 'bridge').catch(() => {}); // gone already
}

async function added(name: string): Promise<boolean> {
  try {
    await ip('link', 'add', name, 'type', 'bridge');
    return true;
  } catch (error) {
    if (`${error}`.includes('File exists')) return false;
    throw error;
  }
}

/** The second numbers of those 10.x.0.0/16 that no route of this machine leads into. */
export function freeRanges(routes: string): number[] {
  const taken = [...routes.matchAll(/(?:^|\s)10\.(\d+)\.\d+\.\d+(?:\/(\d+))?/gm)].map(([, second, bits]) => ({
    second: Number(second),
    // How many bits of the second number the route fixes.
    fixed: Math.max(0, Math.min(Number(bits ?? 32), 16) - 8),
  }));
  const [first, last] = ranges;
  return Array.from({ length: last - first + 1 }, (_, n) => first + n).filter(
    (candidate) => !taken.some(({ second, fixed }) => second >> (8 - fixed) === candidate >> (8 - fixed)),
  );
}
