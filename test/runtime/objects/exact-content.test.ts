import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ExactContent, exactContent } from '../../../runtime/objects/exact-content.ts';

const STALL_MS = 30_000;

function exact(content: Buffer | Readable, size: number, signal?: AbortSignal): ExactContent {
  const failure = (problem: string) => new Error(`it ${problem}`);
  return exactContent(content, { size, stallMs: STALL_MS, failure, ...(signal && { signal }) });
}

/** Until everything that is under way has come as far as it can without a timer. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('exact content', () => {
  it('passes on what is as long as was said, in pieces that are no larger than 64 KiB', async () => {
    const content = Buffer.alloc(1_000_000, 1);
    const pieces: Buffer[] = [];
    const passing = exact(content, content.length).on('data', (piece: Buffer) => pieces.push(piece));
    await once(passing, 'end');
    expect(Math.max(...pieces.map((piece) => piece.length))).toBe(64 * 1024);
    expect(Buffer.concat(pieces).equals(content)).toBe(true);
  });

  it('holds the last bytes back until the source has ended', async () => {
    const source = new PassThrough();
    const content = exact(source, 10);
    const seen: Buffer[] = [];
    content.on('data', (piece: Buffer) => seen.push(piece));
    source.write('12345');
    source.write('67890');
    await settled();
    expect(Buffer.concat(seen).toString()).toBe('12345');
    source.end();
    await settled();
    expect(Buffer.concat(seen).toString()).toBe('1234567890');
  });

  it('minds no empty chunks, at the end either', async () => {
    const chunks = ['', '12', '', '345', ''].map((text) => Buffer.from(text));
    expect((await buffer(exact(Readable.from(chunks), 5))).toString()).toBe('12345');
    expect((await buffer(exact(Readable.from([Buffer.alloc(0)]), 0))).length).toBe(0);
  });

  it('takes its source with it when it is destroyed, and fails with a source that is closed early', async () => {
    const source = new PassThrough();
    const content = exact(source, 10);
    content.destroy();
    await settled();
    expect(source.destroyed).toBe(true);

    const closed = new PassThrough();
    const reading = buffer(exact(closed, 10));
    closed.destroy();
    await expect(reading).rejects.toThrow('it was closed early');
  });

  it('tells how much was taken, and whether it waits for its source', async () => {
    const source = new PassThrough();
    const content = exact(source, 1_000_000);
    expect([content.taken, content.starving]).toEqual([0, true]);
    source.write(Buffer.alloc(500_000));
    await settled();
    expect([content.taken, content.starving]).toEqual([0, false]);
    content.resume();
    await settled();
    expect([content.taken, content.starving]).toEqual([500_000, true]);
    source.end(Buffer.alloc(500_000));
    await settled();
    expect([content.taken, content.starving]).toEqual([1_000_000, false]);
  });

  describe('over time', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('fails when a source gives nothing to a reader who waits', async () => {
      const source = new PassThrough();
      const content = exact(source, 10);
      const failed = vi.fn();
      content.on('error', failed).resume();
      source.write('1');
      await settled();
      vi.advanceTimersByTime(STALL_MS - 1);
      await settled();
      expect(failed).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      await settled();
      expect(failed).toHaveBeenCalledExactlyOnceWith(new Error('it stood still for 30 s'));
      expect(source.destroyed).toBe(true);
    });

    it('waits for a source that is slow but goes on', async () => {
      const source = new PassThrough();
      const content = exact(source, 10);
      const reading = buffer(content);
      for (const digit of '1234567890') {
        source.write(digit);
        await settled();
        vi.advanceTimersByTime(STALL_MS - 1);
      }
      source.end();
      expect((await reading).toString()).toBe('1234567890');
    });

    it('waits for its reader for any time, before and after the source has ended', async () => {
      const source = new PassThrough();
      const content = exact(source, 1_000_000);
      source.write(Buffer.alloc(400_000));
      await settled();
      vi.advanceTimersByTime(10 * STALL_MS);
      source.end(Buffer.alloc(600_000));
      await settled();
      vi.advanceTimersByTime(10 * STALL_MS);
      expect((await buffer(content)).length).toBe(1_000_000);
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});
