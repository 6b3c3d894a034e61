import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { describeTree, makeTree } from '../../support/home-tree.ts';
import { signal, type VolumeHarness } from './volumes-under-test.ts';

/** What a restore brings back. */
export function restoreContract(harness: VolumeHarness): void {
  describe('restore', () => {
    it('brings back a thousand files with odd names, links, modes, owners, times and holes', async () => {
      const name = await harness.provisioned();
      await makeTree(harness.under.inside(name), harness.under.tree);
      const before = await describeTree(harness.under.inside(name));
      expect(before.length).toBeGreaterThan(1000);
      expect(before.filter((line) => line.includes('with holes'))).toHaveLength(3);
      const archive = await harness.archived(name);
      await harness.volumes.delete(name);
      await harness.volumes.provision(name);
      await harness.restore(name, archive);
      expect(await describeTree(harness.under.inside(name))).toEqual(before);
      expect(await harness.under.working(name)).toBe(0);
    });

    it('takes away all that was there before', async () => {
      const archive = await harness.archived(await harness.provisioned());
      const name = await harness.provisioned();
      await makeTree(harness.under.inside(name), { files: 10 });
      await harness.restore(name, archive);
      expect(await harness.names(name)).toEqual(['.berth-restored']);
    });

    it('leaves one that has this archive already as it is, and reads none of it', async () => {
      const name = await harness.provisioned();
      const archive = await harness.archived(name);
      await harness.restore(name, archive);
      await harness.write(name, 'later', 'later');
      const unread = new Readable({
        read() {
          this.destroy(new Error('it was read'));
        },
      });
      await harness.volumes.restore(name, unread, archive.name, signal());
      expect(await harness.names(name)).toContain('later');
    });

    it('is not taken in by a marker of another archive, or by what looks like one', async () => {
      const name = await harness.provisioned();
      const first = await harness.archived(name);
      await harness.write(name, 'second', 'second');
      const second = await harness.archived(name);
      await harness.restore(name, first);
      await harness.restore(name, second);
      expect((await harness.names(name)).sort()).toEqual(['.berth-restored', 'second']);
      const said = `${first.name.key} sha256:${first.name.sha256}`;
      const plant = `import * as fs from 'node:fs'; const [, home, said] = process.argv; process.chdir(home);
        fs.rmSync('.berth-restored'); fs.writeFileSync('marker', said); fs.symlinkSync('marker', '.berth-restored');`;
      await harness.under.inside(name)(plant, said);
      await harness.restore(name, first);
      expect(await harness.names(name)).toEqual(['.berth-restored']);
    });

    it('needs a volume', async () => {
      const archive = await harness.archived(await harness.provisioned());
      const name = harness.name();
      await expect(harness.restore(name, archive)).rejects.toMatchObject({ code: 'VOLUME_NOT_FOUND' });
      expect(await harness.volumes.find(name)).toBeUndefined();
    });
  });
}
