import { describe, expect, it } from 'vitest';
import { conversation, tenant } from './names.ts';
import type { OpenState } from './state-under-test.ts';

const owner = { tenant: tenant('acme'), conversation: conversation('c1') };

export function egressSettingsContract(open: OpenState): void {
  describe("a conversation's egress settings", () => {
    it('are not known at first, and then what they were changed to last', async () => {
      const { egressSettings } = (await open()).state;

      expect(await egressSettings.get(owner)).toBeUndefined();
      await egressSettings.put(owner, 'one');
      await egressSettings.put(owner, 'two');
      expect(await egressSettings.get(owner)).toBe('two');
      expect(await egressSettings.get({ ...owner, tenant: tenant('other') })).toBeUndefined();
      expect(await egressSettings.get({ ...owner, conversation: conversation('c2') })).toBeUndefined();
    });

    it('are filled in where they are not known, also as none, and never over a change', async () => {
      const { egressSettings } = (await open()).state;

      await egressSettings.fill(owner, '');
      expect(await egressSettings.get(owner)).toBe('');
      await egressSettings.fill(owner, 'late');
      expect(await egressSettings.get(owner)).toBe('');
      await egressSettings.put(owner, 'changed');
      await egressSettings.fill(owner, 'late');
      expect(await egressSettings.get(owner)).toBe('changed');
    });
  });
}
