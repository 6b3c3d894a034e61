import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, percentile } from './figure.ts';
import type { WarmClaims } from './warm-claims.ts';

const CLAIMS = 50;
const EVERY_MS = 1000 / CLAIMS;
/** Claimed before, so that the pool refills from the first measured call on. */
const STARTERS = 6;

export const BURST_POOL = 60;

/** 50 claims in a second while the pool refills two at a time, between two seconds of the floor under the same load. */
export async function warmBurst(claims: WarmClaims): Promise<Figure> {
  claims.refills = true;
  for (let index = 0; index < STARTERS; index += 1) await claims.claim();
  const floor = await inASecond(() => claims.floor());
  const ours = await inASecond(() => claims.claim());
  floor.push(...(await inASecond(() => claims.floor())));
  return {
    name: '50 containers from the warm pool in a second while it refills, p99',
    unit: 'ms',
    ours: percentile(ours, 99),
    reference: { name: 'one LPOP and one /health, p99', value: percentile(floor, 99) },
    goal: 5,
  };
}

/** Each begins at its time, whether those before are over or not. */
async function inASecond(once: () => Promise<number>): Promise<number[]> {
  const started = performance.now();
  const under: Promise<number>[] = [];
  for (let index = 0; index < CLAIMS; index += 1) {
    await sleep(Math.max(0, started + index * EVERY_MS - performance.now()));
    const one = once();
    one.catch(() => {}); // told below, once all are over
    under.push(one);
  }
  await Promise.allSettled(under);
  return Promise.all(under);
}
