import { describe, expect, it } from 'vitest';
import { homeVolume, parseWorkspaceId } from '../../../runtime/contracts/ids.ts';
import { describeTree } from '../../support/home-tree.ts';
import { must } from '../../support/must.ts';
import { OTHERS, OURS, signal, type VolumeHarness } from './volumes-under-test.ts';

/** How volumes begin and end, and whose they are. */
export function provisionContract(harness: VolumeHarness): void {
  describe('provision, find, list and delete', () => {
    it('makes an empty home that its user owns', async () => {
      const name = await harness.provisioned();
      expect(await describeTree(harness.under.inside(name))).toEqual([`"" 40755 ${harness.under.owner}`]);
      expect(await harness.volumes.find(name)).toBeDefined();
      expect(await harness.volumes.list()).toContain(name);
      expect(await harness.under.working(name)).toBe(0);
    });

    it('leaves one that is there as it is', async () => {
      const name = await harness.provisioned();
      await harness.write(name, 'kept', 'kept');
      const before = await describeTree(harness.under.inside(name));
      await harness.volumes.provision(name);
      expect(await describeTree(harness.under.inside(name))).toEqual(before);
    });

    it('makes many at the same time', async () => {
      const names = Array.from({ length: 4 }, () => harness.name());
      await Promise.all(names.map((name) => harness.volumes.provision(name)));
      expect(await harness.volumes.list()).toEqual(expect.arrayContaining(names));
    });

    it('removes one with all that is in it, and what is not there without a word', async () => {
      const name = await harness.provisioned();
      await harness.write(name, 'lost', 'lost');
      await harness.volumes.delete(name);
      await harness.volumes.delete(name);
      expect(await harness.volumes.find(name)).toBeUndefined();
      expect(await harness.volumes.list()).not.toContain(name);
      await harness.volumes.provision(name);
      expect(await harness.names(name)).toEqual([]);
    });

    it('removes none that a container has', async () => {
      const name = await harness.provisioned();
      await harness.write(name, 'kept', 'kept');
      const leave = await harness.under.occupy(name);
      await expect(harness.volumes.delete(name)).rejects.toMatchObject({ code: 'VOLUME_IN_USE' });
      expect(await harness.names(name)).toEqual(['kept']);
      await leave();
      await harness.volumes.delete(name);
      expect(await harness.volumes.find(name)).toBeUndefined();
    });

    it('removes the very one that was found, and none that has its name since', async () => {
      const name = await harness.provisioned();
      const first = must(await harness.volumes.find(name));
      await harness.volumes.delete(name, first);
      expect(await harness.volumes.find(name)).toBeUndefined();
      await harness.volumes.provision(name);
      await harness.write(name, 'newer', 'newer');
      await harness.volumes.delete(name, first);
      expect(await harness.names(name)).toEqual(['newer']);

      const second = must(await harness.volumes.find(name));
      expect(second).not.toBe(first);
      const leave = await harness.under.occupy(name);
      await expect(harness.volumes.delete(name, second)).rejects.toMatchObject({ code: 'VOLUME_IN_USE' });
      await leave();
      expect(await harness.names(name)).toEqual(['newer']);
      await harness.volumes.delete(name, second);
      expect(await harness.volumes.find(name)).toBeUndefined();
    });

    it('removes many that were found at the same time', async () => {
      const names = await Promise.all(Array.from({ length: 4 }, () => harness.provisioned()));
      const found = await Promise.all(
        names.map(async (name) => [name, must(await harness.volumes.find(name))] as const),
      );
      const stays = await harness.provisioned();
      await Promise.all(found.map(([name, incarnation]) => harness.volumes.delete(name, incarnation)));
      for (const name of names) expect(await harness.volumes.find(name)).toBeUndefined();
      expect(await harness.volumes.find(stays)).toBeDefined();
    });

    it("neither sees, uses nor removes another installation's", async () => {
      const name = harness.name();
      const others = harness.under.open(OTHERS);
      await others.provision(name);
      await harness.write(name, 'theirs', 'theirs');
      expect(await harness.volumes.find(name)).toBeUndefined();
      expect(await harness.volumes.list()).not.toContain(name);
      await expect(harness.volumes.provision(name)).rejects.toMatchObject({
        code: 'VOLUME_CREATE_FAILED',
        detail: expect.stringContaining(OTHERS),
      });
      await expect(harness.volumes.archive(name, signal())).rejects.toMatchObject({
        code: 'VOLUME_NOT_FOUND',
      });
      await harness.volumes.delete(name);
      expect(await others.find(name)).toBeDefined();
      expect(await harness.names(name)).toEqual(['theirs']);
    });

    it('leaves alone what has the name of no workspace, or the labels of nobody', async () => {
      const near = homeVolume(must(parseWorkspaceId('0123456789abc')));
      for (const text of ['ws-0123456789ab-home', 'ws-Upper-home', 'ws--home']) {
        await harness.under.plant(text, OURS);
        expect(await harness.volumes.list()).not.toContain(text);
        await harness.under.uproot(text);
      }
      await harness.under.plant(near, 'nobody');
      await harness.volumes.delete(near);
      expect(await harness.under.isPlanted(near)).toBe(true);
      await harness.under.uproot(near);
    });
  });
}
