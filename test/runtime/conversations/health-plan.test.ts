import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type HealthSeen,
  planHealth,
  type UnhealthyReason,
} from '../../../runtime/conversations/plan-health.ts';

const AT_ONCE: UnhealthyReason[] = ['impostor', 'foreign-ticket', 'exited', 'absent'];

describe('planHealth', () => {
  it.each(AT_ONCE)('judges %s at once', (seen) => {
    expect(planHealth(seen, 0)).toEqual({ failures: 1, unhealthy: seen });
  });

  it.each(['unanswered', 'not-running'] as const)('forgives %s twice, not three times', (seen) => {
    expect(planHealth(seen, 0)).toEqual({ failures: 1, unhealthy: undefined });
    expect(planHealth(seen, 1)).toEqual({ failures: 2, unhealthy: undefined });
    expect(planHealth(seen, 2)).toEqual({ failures: 3, unhealthy: seen });
  });

  it('goes on telling, should nobody act on it', () => {
    expect(planHealth('unanswered', 7)).toEqual({ failures: 8, unhealthy: 'unanswered' });
  });

  it('calls silent containers unhealthy only after three failures in a row', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<HealthSeen>('well', 'unanswered')), (rounds) => {
        let failures = 0;
        rounds.forEach((seen, at) => {
          const verdict = planHealth(seen, failures);
          const lastThree = at >= 2 && rounds.slice(at - 2, at + 1).every((each) => each === 'unanswered');
          expect(verdict.unhealthy).toBe(lastThree ? 'unanswered' : undefined);
          failures = verdict.failures;
        });
      }),
    );
  });
});
