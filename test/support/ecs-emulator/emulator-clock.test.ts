import { describe, expect, it } from 'vitest';
import { EmulatorClock } from './emulator-clock.ts';

describe("the emulator's clock", () => {
  it('runs so many times as fast as the wall', async () => {
    const clock = new EmulatorClock(1000);
    const [began, wall] = [clock.now(), performance.now()];
    await clock.sleep(60_000);
    expect(clock.now() - began).toBeGreaterThanOrEqual(60_000);
    expect(performance.now() - wall).toBeGreaterThanOrEqual(59);
  });

  it('wakes whoever is due when time is skipped, and nobody else', async () => {
    const clock = new EmulatorClock();
    const woken: string[] = [];
    const soon = clock.sleep(60_000).then(() => woken.push('soon'));
    const over = new AbortController();
    const late = clock.sleep(120_000, over.signal).then(() => woken.push('late'));
    clock.advance(60_000);
    await soon;
    expect(woken).toEqual(['soon']);
    over.abort();
    await late;
  });

  it('sleeps for ever until it is told to stop', async () => {
    const over = new AbortController();
    const asleep = new EmulatorClock(1e9).sleep(Number.POSITIVE_INFINITY, over.signal);
    over.abort();
    await asleep;
  });

  it('refuses a speed that is none', () => {
    expect(() => new EmulatorClock(0)).toThrow('above 0');
  });
});
