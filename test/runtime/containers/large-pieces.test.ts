import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { LARGE_PIECE_BYTES, LargePieces } from '../../../runtime/containers/large-pieces.ts';

async function passed(chunks: Buffer[]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  const large = Readable.from(chunks).pipe(new LargePieces());
  large.on('data', (piece: Buffer) => pieces.push(piece));
  await once(large, 'end');
  return pieces;
}

describe('large pieces', () => {
  it('are the same bytes, put together, with what is left at the end', async () => {
    const bytes = randomBytes(2 * LARGE_PIECE_BYTES + 12_345);
    const sizes = [1, 65_536, LARGE_PIECE_BYTES, 3, 100_000];
    const chunks: Buffer[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 1;
      chunks.push(bytes.subarray(at, at + size));
      at += size;
    }
    const pieces = await passed(chunks);
    expect(pieces.map(({ length }) => length)).toEqual([LARGE_PIECE_BYTES, LARGE_PIECE_BYTES, 12_345]);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  });

  it('are made of a chunk that is larger, and are none of nothing', async () => {
    const bytes = randomBytes(3 * LARGE_PIECE_BYTES);
    expect(Buffer.concat(await passed([bytes])).equals(bytes)).toBe(true);
    expect(await passed([])).toEqual([]);
  });

  it('leave little memory behind, however much passes', async () => {
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const chunks = function* () {
      for (let at = 0; at < 4096; at += 1) {
        yield Buffer.allocUnsafeSlow(64 * 1024);
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      }
    };
    let bytes = 0;
    for await (const piece of Readable.from(chunks()).pipe(new LargePieces())) bytes += piece.length;
    expect(bytes).toBe(4096 * 64 * 1024);
    expect(most).toBeLessThan(40 * 1024 * 1024);
  });
});

it('a short one comes whole', async () => {
  expect((await buffer(Readable.from([Buffer.from('short')]).pipe(new LargePieces()))).toString()).toBe(
    'short',
  );
});
