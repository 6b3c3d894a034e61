import { describe, expect, it, vi } from 'vitest';
import type { EventRun } from '../../../../runtime/conversations/executions/event-run.ts';
import { EventWindow } from '../../../../runtime/conversations/executions/event-window.ts';

/** One event. */
const numbered = (id: number, bytes = 10) => ({
  first: id,
  last: id,
  agentSeq: id - 1,
  frames: Buffer.from(`${'x'.repeat(bytes - 2)}\n\n`),
});
const ids = (taken: EventRun[]) => taken.map(({ last }) => last);

describe('the window of an execution', () => {
  it('gives each reader everything after what it has, once', () => {
    const window = new EventWindow(1000);
    window.add([numbered(1), numbered(2), numbered(3)]);
    const [fromStart, fromTwo] = [window.enter(0), window.enter(2)];
    expect(ids(window.take(fromStart, 1000))).toEqual([1, 2, 3]);
    expect(ids(window.take(fromTwo, 1000))).toEqual([3]);
    expect(ids(window.take(fromStart, 1000))).toEqual([]);
  });

  it('gives who has a part of a run the rest of it', () => {
    const window = new EventWindow(1000);
    window.add([{ first: 4, last: 6, agentSeq: 5, frames: Buffer.from('a\n\nb\n\nc\n\n') }]);
    const taken = (id: number) => window.take(window.enter(id), 1000);
    expect(taken(5)).toEqual([{ first: 6, last: 6, agentSeq: 5, frames: Buffer.from('c\n\n') }]);
    expect(taken(4)).toMatchObject([{ first: 5, last: 6, frames: Buffer.from('b\n\nc\n\n') }]);
    expect(taken(1)).toMatchObject([{ first: 4, last: 6 }]);
    expect(taken(6)).toEqual([]);
  });

  it('gives about as many bytes as asked for, and at least one event', () => {
    const window = new EventWindow(1000);
    window.add([numbered(1, 100), numbered(2, 100), numbered(3, 100)]);
    const cursor = window.enter(0);
    expect(ids(window.take(cursor, 150))).toEqual([1, 2]);
    expect(ids(window.take(cursor, 1))).toEqual([3]);
  });

  it('gives no more than 512 runs at once, however short', () => {
    const window = new EventWindow(100_000);
    window.add(Array.from({ length: 600 }, (_, i) => numbered(i + 1)));
    const cursor = window.enter(0);
    expect(window.take(cursor, 100_000)).toHaveLength(512);
    expect(ids(window.take(cursor, 100_000)).at(-1)).toBe(600);
  });

  it('keeps no more than its capacity, but always the last event', () => {
    const window = new EventWindow(100);
    for (let id = 1; id <= 5000; id += 1) window.add([numbered(id, 40)]);
    expect(ids(window.take(window.enter(0), 10_000))).toEqual([4999, 5000]);
    window.add([numbered(5001, 500)]);
    expect(ids(window.take(window.enter(0), 10_000))).toEqual([5001]);
  });

  it('wakes who waits at the next event, and at the end', async () => {
    const window = new EventWindow(100);
    const first = window.changed();
    window.add([numbered(1)]);
    await first;
    const second = window.changed();
    window.close('ended');
    await second;
    expect(window.state).toBe('ended');
    window.close('lost');
    expect(window.state).toBe('ended');
  });

  it('holds nobody up when there is no reader, or all have read', async () => {
    const window = new EventWindow(100);
    window.add([numbered(1, 90)]);
    await window.pace();
    const cursor = window.enter(0);
    window.take(cursor, 1000);
    await window.pace();
  });

  it('waits for a reader that is behind until it has caught up', async () => {
    const window = new EventWindow(100);
    const cursor = window.enter(0);
    window.add([numbered(1, 90)]);
    let paced = false;
    const pace = window.pace().then(() => {
      paced = true;
    });
    await new Promise(setImmediate);
    expect(paced).toBe(false);
    window.take(cursor, 1000);
    await pace;
  });

  it('does not wait for a reader that takes nothing, nor for one that left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const window = new EventWindow(100);
      const stuck = window.enter(0);
      window.add([numbered(1, 90)]);
      const pace = window.pace();
      await vi.advanceTimersByTimeAsync(300);
      await pace;
      window.add([numbered(2, 90)]);
      await window.pace(); // it is known to be stuck by now
      window.leave(stuck);
      window.enter(0);
      window.add([numbered(3, 90)]);
      const again = window.pace();
      window.close('lost');
      await again;
    } finally {
      vi.useRealTimers();
    }
  });
});
