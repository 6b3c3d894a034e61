import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTar } from '../../../../images/workspace-base/agent/tar/read-tar.ts';
import { memberHeader, padding, TAR_END } from '../../../../images/workspace-base/agent/tar/write-tar.ts';

const member = fc.record({
  path: fc
    .string({ unit: 'binary', minLength: 1, maxLength: 400 })
    .filter((path) => path.isWellFormed() && !path.includes('\0')),
  isDirectory: fc.boolean(),
  content: fc.uint8Array({ maxLength: 2000 }),
  mode: fc.integer({ min: 0, max: 0o777 }),
  modifiedAt: fc.integer({ min: 0, max: 2 ** 32 }),
});

/** The bytes again, in pieces of other sizes. */
async function* inPieces(bytes: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

describe('an archive', () => {
  it('reads as it was written, however it is cut into pieces', async () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(member, { maxLength: 6 }), pieces, async (members, sizes) => {
        const blocks = members.flatMap(({ path, isDirectory, content, mode, modifiedAt }) => {
          const bytes = Buffer.from(isDirectory ? [] : content);
          const type = isDirectory ? ('directory' as const) : ('file' as const);
          return [
            memberHeader({ path, type, mode, modifiedAt, size: bytes.length }),
            bytes,
            padding(bytes.length),
          ];
        });
        const read = [];
        for await (const entry of readTar(inPieces(Buffer.concat([...blocks, TAR_END]), sizes))) {
          const content = await buffer(entry.content);
          read.push({
            ...entry,
            path: entry.path.toString(),
            content: content.toString('hex'),
          });
        }
        expect(read).toEqual(
          members.map(({ path, isDirectory, content, mode, modifiedAt }) => ({
            path: isDirectory ? `${path}/` : path,
            type: isDirectory ? '5' : '0',
            size: isDirectory ? 0 : content.length,
            mode,
            modifiedAt,
            content: isDirectory ? '' : Buffer.from(content).toString('hex'),
          })),
        );
      }),
    );
  });

  it('of any bytes at all is refused or read, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
        const read = async () => {
          for await (const { content } of readTar(inPieces(Buffer.from(bytes), [700])))
            for await (const _ of content);
        };
        await read().catch((error) => expect(error.constructor.name).toBe('TarError'));
      }),
    );
  });
});
