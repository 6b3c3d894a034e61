import { describe, expect, it } from 'vitest';
import type { OpenState } from './state-under-test.ts';

export function leasesContract(open: OpenState): void {
  describe('a lease', () => {
    it('is held by one, who may renew it', async () => {
      const { state, clock } = await open();
      expect(await state.leases.hold('sweep', 'ann', 15)).toBe(true);

      expect(await state.leases.hold('sweep', 'bob', 15)).toBe(false);
      clock.advance(14);
      expect(await state.leases.hold('sweep', 'ann', 15)).toBe(true);
      clock.advance(14);
      expect(await state.leases.hold('sweep', 'bob', 15)).toBe(false);
    });

    it('is free once it lapsed or was let go', async () => {
      const { state, clock } = await open();
      await state.leases.hold('sweep', 'ann', 15);
      clock.advance(15);
      expect(await state.leases.hold('sweep', 'bob', 15)).toBe(true);

      await state.leases.letGo('sweep', 'bob');
      expect(await state.leases.hold('sweep', 'ann', 15)).toBe(true);
    });

    it('is not let go by another, nor made shorter by a renewal', async () => {
      const { state, clock, dump } = await open();
      await state.leases.hold('sweep', 'ann', 60);
      const before = await dump();

      await state.leases.letGo('sweep', 'bob');
      await state.leases.hold('sweep', 'ann', 15);
      expect(await dump()).toEqual(before);
      clock.advance(59);
      expect(await state.leases.hold('sweep', 'bob', 15)).toBe(false);
    });

    it('is apart from those of other names', async () => {
      const { state } = await open();
      await state.leases.hold('sweep', 'ann', 15);

      expect(await state.leases.hold('refill', 'bob', 15)).toBe(true);
    });
  });
}
