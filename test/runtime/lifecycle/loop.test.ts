import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { Loop } from '../../../runtime/lifecycle/loop.ts';

const log = pino({ level: 'silent' });

describe('a loop', () => {
  it('goes on after a turn that fails', async () => {
    let turns = 0;
    const loop = new Loop({
      name: 'test',
      intervalSeconds: 0.005,
      log,
      runOnce: async () => {
        turns += 1;
        throw new Error('bad item');
      },
    });
    loop.start();
    await vi.waitFor(() => expect(turns).toBeGreaterThan(3));
    await loop.stop();
  });

  it('never runs twice at once, and stop waits for the turn under way', async () => {
    let running = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    const loop = new Loop({
      name: 'test',
      intervalSeconds: 0.005,
      log,
      runOnce: async () => {
        running += 1;
        most = Math.max(most, running);
        await gate.promise;
        running -= 1;
      },
    });
    loop.start();
    await vi.waitFor(() => expect(running).toBe(1));
    const stopped = loop.stop();
    gate.resolve();
    await stopped;
    expect(running).toBe(0);
    expect(most).toBe(1);
  });
});
