import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextPieces } from '../../../../images/workspace-base/agent/exec/text-pieces.ts';

function inPieces(chunks: Uint8Array[]) {
  const pieces = new TextPieces();
  return [...chunks.map((chunk) => pieces.take(Buffer.from(chunk))), pieces.end()];
}

const bytesOf = (pieces: { text: string; bytes?: string }[]): Buffer =>
  Buffer.concat(
    pieces.map(({ text, bytes }) => (bytes === undefined ? Buffer.from(text) : Buffer.from(bytes, 'base64'))),
  );

describe('output in pieces of text', () => {
  it('is the very bytes that were printed, however they are cut', () => {
    // Bytes that begin, go on with and break characters come more often than by chance.
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x80, 0xc3, 0xff, 0x41));
    const chunks = fc.array(
      fc.array(byte, { maxLength: 12 }).map((bytes) => Uint8Array.from(bytes)),
      { maxLength: 8 },
    );
    fc.assert(fc.property(chunks, (given) => bytesOf(inPieces(given)).equals(Buffer.concat(given))));
  });

  it('has no bytes apart from its text where that says them, also across a cut', () => {
    const text = 'a€🚀ü';
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const pieces = inPieces([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
      expect(pieces.some((piece) => 'bytes' in piece)).toBe(false);
    }
  });

  it('keeps its bytes beside the text where that has replacements, half a character at the end included', () => {
    expect(inPieces([Buffer.from('a\xff', 'latin1'), Buffer.from('b\xe2\x82', 'latin1')])).toEqual([
      { text: 'a\ufffd', bytes: Buffer.from('a\xff', 'latin1').toString('base64') },
      { text: 'b' },
      { text: '\ufffd', bytes: Buffer.from('\xe2\x82', 'latin1').toString('base64') },
    ]);
  });
});
