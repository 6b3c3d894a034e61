import { describe, expect, it, vi } from 'vitest';
import { EventWindow } from '../../../../runtime/conversations/executions/event-window.ts';

const numbered = (id: number, bytes = 10) => ({
  line: { id, type: 'text_delta', data: 'x'.repeat(bytes) },
  agentSeq: id - 1,
});
const ids = (taken: { lines: { id: number }[] }) => taken.lines.map(({ id }) => id);

describe('the window of an execution', () => {
  it('gives each reader everything after what it has, once', () => {
    const window = new EventWindow(1000);
    window.add([numbered(1), numbered(2), numbered(3)]);
    const [fromStart, fromTwo] = [window.enter(0), window.enter(2)];
    expect(ids(window.take(fromStart, 1000))).toEqual([1, 2, 3]);
    expect(ids(window.take(fromTwo, 1000))).toEqual([3]);
    expect(ids(window.take(fromStart, 1000))).toEqual([]);
  });

  it('gives about as many bytes as asked for, and at least one event', () => {
    const window = new EventWindow(1000);
    window.add([numbered(1, 100), numbered(2, 100), numbered(3, 100)]);
    const cursor = window.enter(0);
    expect(ids(window.take(cursor, 150))).toEqual([1, 2]);
    expect(ids(window.take(cursor, 1))).toEqual([3]);
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
