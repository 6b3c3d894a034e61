import { describe, expect, it, vi } from 'vitest';
import { openMemoryState } from '../../../runtime/state/memory/open-memory-state.ts';
import { Leadership } from '../../../runtime/sweep/leadership.ts';

describe('leadership', () => {
  it('is kept between turns, for as long as its holder lives, and passes on when that one resigns', async () => {
    vi.useFakeTimers();
    try {
      const { leases } = openMemoryState({ clock: Date });
      const [one, two] = [new Leadership(leases, 'job', 'one'), new Leadership(leases, 'job', 'two')];
      expect(await one.held()).toBe(true);
      await vi.advanceTimersByTimeAsync(600_000);
      expect(await two.held()).toBe(false);
      expect(await one.held()).toBe(true);
      await one.resign();
      expect(await two.held()).toBe(true);
      expect(await one.held()).toBe(false);
      await two.resign();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('lapses with an instance that is paused, and is not taken back by its timer', async () => {
    vi.useFakeTimers();
    try {
      const { leases } = openMemoryState({ clock: Date });
      const [one, two] = [new Leadership(leases, 'job', 'one'), new Leadership(leases, 'job', 'two')];
      await one.held();
      vi.setSystemTime(Date.now() + 15_001); // its timers stand still meanwhile
      expect(await two.held()).toBe(true);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await one.held()).toBe(false);
      expect(await two.held()).toBe(true);
      await two.resign();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
