import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchSetting } from './bench-setting.ts';
import { ContainersByHand } from './container-by-hand.ts';
import { byTurns, type Figure, timed } from './figure.ts';
import { PoolInstallation } from './pool-installation.ts';

const MEMBERS = 10;
const ROUNDS = 9;

/** An empty pool to ten members, and ten containers made at once by hand. */
export async function poolRefill(setting: BenchSetting): Promise<Figure> {
  const base = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  await using installation = new PoolInstallation(setting);
  const { warmPool } = await installation.instance(MEMBERS);
  const hand = new ContainersByHand(setting, base);

  async function ours(): Promise<number> {
    const ms = await timed(async () => {
      await warmPool.configure({ min: MEMBERS, max: MEMBERS });
      await installation.untilSize(MEMBERS);
    });
    await warmPool.configure({ min: 0, max: 0 });
    await installation.untilEmpty();
    return ms;
  }

  async function byHand(): Promise<number> {
    const made: Awaited<ReturnType<ContainersByHand['create']>>[] = [];
    const ms = await timed(() =>
      Promise.all(Array.from({ length: MEMBERS }, async () => made.push(await hand.create()))),
    );
    await Promise.all(made.map((container) => container.remove({ force: true })));
    return ms;
  }

  try {
    const result = await byTurns(ROUNDS, ours, byHand);
    return {
      name: 'refill of ten members of the warm pool',
      unit: 'ms',
      ours: result.ours,
      reference: { name: 'ten at once with dockerode by hand', value: result.reference },
      goal: 1.15,
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
