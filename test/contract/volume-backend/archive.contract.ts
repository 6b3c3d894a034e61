import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { TarEntries } from '../../../runtime/workspaces/tar-entries.ts';
import { makeTree } from '../../support/home-tree.ts';
import { signal, type VolumeHarness } from './volumes-under-test.ts';

/** What archives hold, and what is none. */
export function archiveContract(harness: VolumeHarness): void {
  describe('archive', () => {
    it('has as many entries as it says, and not the marker', async () => {
      const name = await harness.provisioned();
      await makeTree(harness.under.inside(name), harness.under.tree);
      const before = await harness.archived(name);
      await harness.restore(name, before);
      expect(await harness.names(name)).toContain('.berth-restored');
      const after = await harness.archived(name);
      expect(after.entries).toBe(before.entries);
      expect(await entriesIn(after.bytes)).toBe(after.entries);
      expect(after.entries).toBeGreaterThan(1000);
    });

    it('of an empty home has one entry', async () => {
      const archive = await harness.archived(await harness.provisioned());
      expect(archive.entries).toBe(1);
      expect(await entriesIn(archive.bytes)).toBe(1);
    });

    it('tells how many entries it has only at its end', async () => {
      const { content, entries } = await harness.volumes.archive(await harness.provisioned(), signal());
      expect(() => entries()).toThrow();
      await buffer(content);
      expect(entries()).toBe(1);
    });

    it('leaves nothing at work', async () => {
      const name = await harness.provisioned();
      await harness.archived(name);
      expect(await harness.under.working(name)).toBe(0);
    });

    it('of a volume that is not there is refused', async () => {
      const name = harness.name();
      const archiving = harness.volumes.archive(name, signal());
      await expect(archiving).rejects.toMatchObject({ code: 'VOLUME_NOT_FOUND' });
      expect(await harness.volumes.find(name)).toBeUndefined();
    });

    it('waits for its reader, and fails when a file changes meanwhile', async () => {
      const name = await harness.filled(48);
      const { content } = await harness.volumes.archive(name, signal());
      const pieces = content.iterator();
      await pieces.next();
      const grow = "import * as fs from 'node:fs'; fs.appendFileSync(process.argv[1] + '/filler', 'more');";
      await harness.under.inside(name)(grow);
      await expect(readAll(pieces)).rejects.toMatchObject({
        code: 'ARCHIVE_FAILED',
        detail: expect.stringContaining('file changed as we read it'),
      });
      await harness.untilNobodyWorks(name);
    });

    it('fails, and does not end, when what makes it is killed', async () => {
      const name = await harness.filled(48);
      const { content } = await harness.volumes.archive(name, signal());
      const pieces = content.iterator();
      await pieces.next();
      await harness.under.kill(name);
      await expect(readAll(pieces)).rejects.toMatchObject({
        code: 'ARCHIVE_FAILED',
        detail: expect.stringContaining('exit code 137'),
      });
      expect((await harness.archived(name)).entries).toBe(2);
    });

    it('ends with its signal', async () => {
      const name = await harness.filled(48);
      const stop = new AbortController();
      const { content } = await harness.volumes.archive(name, stop.signal);
      const read = readAll(content.iterator());
      stop.abort(new Error('that will do'));
      await expect(read).rejects.toThrow('that will do');
      await harness.untilNobodyWorks(name);
      await expect(harness.volumes.archive(name, stop.signal)).rejects.toThrow('that will do');
    });

    it('ends with its reader', async () => {
      const name = await harness.filled(48);
      const { content } = await harness.volumes.archive(name, signal());
      content.destroy();
      await harness.untilNobodyWorks(name);
    });

    it('ends when another is begun, which is whole', async () => {
      const name = await harness.filled(48);
      const { content } = await harness.volumes.archive(name, signal());
      const first = content.iterator();
      await first.next();
      expect((await harness.archived(name)).entries).toBe(2);
      await expect(readAll(first)).rejects.toMatchObject({ code: 'ARCHIVE_FAILED' });
    });

    it('ends when the volume is deleted', async () => {
      const name = await harness.filled(48);
      const { content } = await harness.volumes.archive(name, signal());
      const pieces = content.iterator();
      await pieces.next();
      await harness.volumes.delete(name);
      expect(await harness.volumes.find(name)).toBeUndefined();
      await expect(readAll(pieces)).rejects.toMatchObject({ code: 'ARCHIVE_FAILED' });
    });
  });
}

async function entriesIn(bytes: Buffer): Promise<number> {
  const entries = new TarEntries();
  await pipeline(Readable.from([bytes]), createZstdDecompress(), entries);
  return entries.count;
}

async function readAll(pieces: AsyncIterable<unknown>): Promise<void> {
  await pipeline(pieces, new Writable({ write: (_piece, _encoding, done) => done() }));
}
