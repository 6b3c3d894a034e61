import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { VolumeName } from '../../../runtime/contracts/ids.ts';
import { archiveOf, OURS, signal, type VolumeHarness, type WholeArchive } from './volumes-under-test.ts';

const CORRUPT = { code: 'ARCHIVE_CORRUPT' };

/** How restores fail: never with a marker, and never beyond the volume. */
export function restoreFailureContract(harness: VolumeHarness): void {
  /** Nothing half done is taken for whole: the same archive, unharmed, is unpacked afterwards. */
  async function expectRestorable(name: VolumeName, archive: WholeArchive): Promise<void> {
    expect(await harness.under.working(name)).toBe(0);
    expect(await harness.names(name)).not.toContain('.berth-restored');
    await harness.restore(name, archive);
    expect((await harness.names(name)).sort()).toEqual(['.berth-restored', 'filler']);
  }

  async function given(): Promise<{ name: VolumeName; archive: WholeArchive }> {
    const name = await harness.filled(8);
    return { name, archive: await harness.archived(name) };
  }

  describe('a restore that fails', () => {
    it('finds a byte that is another', async () => {
      const { name, archive } = await given();
      for (const at of [5, archive.bytes.length >> 1, archive.bytes.length - 2]) {
        const bytes = Buffer.from(archive.bytes);
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        await expect(harness.restore(name, { ...archive, bytes })).rejects.toMatchObject(CORRUPT);
      }
      await expectRestorable(name, archive);
    });

    it('finds an end that is missing, and one that is too much', async () => {
      const { name, archive } = await given();
      for (const length of [0, archive.bytes.length >> 1, archive.bytes.length - 1]) {
        const bytes = archive.bytes.subarray(0, length);
        await expect(harness.restore(name, { ...archive, bytes })).rejects.toMatchObject(CORRUPT);
      }
      const bytes = Buffer.concat([archive.bytes, archive.bytes]);
      await expect(harness.restore(name, { ...archive, bytes })).rejects.toMatchObject(CORRUPT);
      await expectRestorable(name, archive);
    });

    it('finds what is no archive though its hash is right', async () => {
      const { name, archive } = await given();
      const none = [
        Buffer.from('neither'),
        zstdCompressSync(Buffer.from('not a tar, but zstd '.repeat(1000))),
        zstdCompressSync(Buffer.alloc(0)).subarray(0, 6),
      ];
      for (const bytes of none)
        await expect(harness.restore(name, archiveOf(bytes))).rejects.toMatchObject(CORRUPT);
      await expectRestorable(name, archive);
    });

    it('fails as its content does', async () => {
      const { name, archive } = await given();
      const content = Readable.from(
        (async function* () {
          yield archive.bytes.subarray(0, 100_000);
          throw new Error('the store is away');
        })(),
      );
      const restored = harness.volumes.restore(name, content, archive.name, signal());
      await expect(restored).rejects.toThrow('the store is away');
      await expectRestorable(name, archive);
    });

    it('ends with its signal, also while its content gives nothing', async () => {
      const { name, archive } = await given();
      const stop = new AbortController();
      const { restored } = await harness.restoringHalf(name, archive, stop.signal);
      stop.abort(new Error('that will do'));
      expect(await restored).toMatchObject({ message: 'that will do' });
      await expectRestorable(name, archive);
    });

    it('ends when another is begun, which is whole', async () => {
      const { name, archive } = await given();
      const { restored } = await harness.restoringHalf(name, archive);
      await harness.restore(name, archive);
      expect(await restored).toMatchObject({ code: 'ARCHIVE_FAILED' });
      expect((await harness.names(name)).sort()).toEqual(['.berth-restored', 'filler']);
    });

    it('fails when what unpacks is killed', async () => {
      const { name, archive } = await given();
      const { restored } = await harness.restoringHalf(name, archive);
      await harness.under.kill(name);
      expect(await restored).toMatchObject({
        code: 'ARCHIVE_FAILED',
        detail: expect.stringContaining('exit code 137'),
      });
      await expectRestorable(name, archive);
    });

    it('tells of a full disk', async () => {
      const { archive } = await given();
      const name = harness.name();
      await harness.under.provisionSmall(name, OURS);
      await expect(harness.restore(name, archive)).rejects.toMatchObject({
        code: 'DISK_FULL',
        detail: expect.stringContaining('No space left on device'),
      });
      expect(await harness.under.working(name)).toBe(0);
    });

    it('writes nothing beyond the volume', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'berth-beyond-'));
      const name = await harness.provisioned();
      for (const tar of escapingTars(folder)) {
        // Whether it is refused or comes out inside is tar's to say.
        await harness.restore(name, archiveOf(zstdCompressSync(tar))).catch(() => {});
        expect(await harness.names(name)).not.toEqual([]);
      }
      expect(readdirSync(folder).sort()).toEqual(['beyond', 'in']);
      expect(readdirSync(join(folder, 'beyond'))).toEqual([]);
      rmSync(folder, { recursive: true });
    });
  });
}

/** Names that lead out: absolute, upwards, and through a link that the archive brings along. */
function escapingTars(folder: string): Buffer[] {
  const tar = (...args: string[]) =>
    execFileSync('tar', ['-C', join(folder, 'in'), '-P', '-cf', '-', ...args]);
  mkdirSync(join(folder, 'beyond'));
  mkdirSync(join(folder, 'in'));
  symlinkSync(join(folder, 'beyond'), join(folder, 'in', 'out'));
  const link = tar('out');
  rmSync(join(folder, 'in', 'out'));
  mkdirSync(join(folder, 'in', 'out'));
  writeFileSync(join(folder, 'in', 'out', 'through'), 'a link');
  const up = '../'.repeat(20) + folder.slice(1);
  return [
    Buffer.concat([link, tar('out/through')]),
    tar(`--transform=s|^|${folder}/absolute/|`, 'out/through'),
    tar(`--transform=s|^|${up}/upwards/|`, 'out/through'),
  ];
}
