import { describe, expect, it } from 'vitest';
import { Missing } from '../../../../runtime/containers/ecs/missing.ts';
import { container } from '../../../contract/state/names.ts';

const MINUTE = 60_000;

describe('a task that ECS does not show', () => {
  it('is gone once it was missing a minute before, too', () => {
    const missing = new Missing();

    expect(missing.isGone(container(1), 5)).toBe(false);
    expect(missing.isGone(container(1), 5 + MINUTE - 1)).toBe(false);
    expect(missing.isGone(container(1), 5 + MINUTE)).toBe(true);
  });

  it('is not gone because another one is', () => {
    const missing = new Missing();
    missing.isGone(container(1), 0);

    expect(missing.isGone(container(2), MINUTE)).toBe(false);
  });

  it('begins anew once it was seen', () => {
    const missing = new Missing();
    missing.isGone(container(1), 0);
    missing.seen(container(1));

    expect(missing.isGone(container(1), MINUTE)).toBe(false);
    expect(missing.isGone(container(1), 2 * MINUTE)).toBe(true);
  });
});
