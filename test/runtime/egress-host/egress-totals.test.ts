import { describe, expect, it } from 'vitest';
import { EgressTotals } from '../../../runtime/egress-host/egress-totals.ts';
import { container } from '../../contract/state/names.ts';

const seconds = (count: number) => ({ http: { count, seconds: count / 10, buckets: [count, 0] } });

describe('the totals of egress', () => {
  it('grow by what each container has counted since the last look', () => {
    const totals = new EgressTotals();
    totals.take(container(1), {
      refused: { not_allowed: 2 },
      passed: { forwarded: 1 },
      durations: seconds(1),
    });
    totals.take(container(2), { refused: { not_allowed: 1 }, passed: {}, durations: {} });
    totals.take(container(1), {
      refused: { not_allowed: 5 },
      passed: { forwarded: 1 },
      durations: seconds(4),
    });
    expect(totals.refused.get('not_allowed')).toBe(6);
    expect(totals.passed.get('forwarded')).toBe(1);
    expect(totals.durations.get('http')).toEqual({ count: 4, seconds: 0.4, buckets: [4, 0] });
  });

  it('keep what containers counted that are gone', () => {
    const totals = new EgressTotals();
    totals.take(container(1), { refused: { malformed: 1 }, passed: {}, durations: {} });
    totals.end(container(1), { refused: { malformed: 3 }, passed: {}, durations: {} });
    totals.take(container(1), { refused: { malformed: 1 }, passed: {}, durations: {} });
    expect(totals.refused.get('malformed')).toBe(4);
  });

  it('never shrink when the proxy counts from zero again', () => {
    const totals = new EgressTotals();
    totals.take(container(1), { refused: { malformed: 5 }, passed: {}, durations: {} });
    totals.restart();
    totals.take(container(1), { refused: { malformed: 2 }, passed: {}, durations: {} });
    expect(totals.refused.get('malformed')).toBe(7);
    expect(totals.restarts).toBe(1);
  });
});
