import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LastBytes } from '../../../runtime/containers/last-bytes.ts';
import { LogFrames } from '../../../runtime/containers/log-frames.ts';

function frame(text: string): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(1);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

it('frames are read wherever the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.nat(200)), (texts, cuts) => {
      const stream = Buffer.concat(texts.map(frame));
      const ends = [...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length];
      const frames = new LogFrames();
      const found = ends.flatMap((end, index) => [
        ...frames.read(stream.subarray(ends[index - 1] ?? 0, end)),
      ]);
      expect(Buffer.concat(found).toString()).toBe(texts.join(''));
    }),
  );
});

it('only the last bytes are kept', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{0,30}$/)),
      fc.integer({ min: 1, max: 50 }),
      (pieces, limit) => {
        const end = new LastBytes(limit);
        for (const piece of pieces) end.add(Buffer.from(piece));
        expect(end.toString()).toBe(pieces.join('').slice(-limit));
      },
    ),
  );
});
