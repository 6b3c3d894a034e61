import { expect, it } from 'vitest';
import { conclude, type RunOutcome } from './conclude.ts';

const allWell: RunOutcome = {
  code: 0,
  results: { passed: 3, failed: 0, failures: [], skipped: 0, skippedTests: [] },
  leftOut: [],
  inCi: false,
};
const withoutDocker: RunOutcome = {
  ...allWell,
  results: {
    passed: 3,
    failed: 0,
    failures: [],
    skipped: 3,
    skippedTests: [
      'a.test.ts > engine (without docker) > runs',
      'a.test.ts > engine (without docker) > stops (in time)',
      'b.test.ts > is for later',
    ],
  },
  leftOut: [
    {
      service: {
        name: 'docker',
        neededBy: 'containers',
        remedy: 'set DOCKER_HOST',
        start: () => Promise.reject(new Error('unused')),
      },
      missing: 'no engine answers',
    },
  ],
};

it('ends with the counts', () => {
  expect(conclude(allWell)).toEqual({ lines: ['3 passed, 0 failed, 0 skipped'], exitCode: 0 });
});

it('names every skipped test or suite, what is missing and how to have it', () => {
  expect(conclude(withoutDocker)).toEqual({
    lines: [
      'skipped: a.test.ts > engine (without docker): 2 tests',
      'skipped: b.test.ts > is for later',
      'without docker (containers): no engine answers',
      '  to have it: set DOCKER_HOST',
      '3 passed, 0 failed, 3 skipped',
    ],
    exitCode: 0,
  });
});

it('fails in CI when a service is missing', () => {
  const { lines, exitCode } = conclude({ ...withoutDocker, inCi: true });
  expect(exitCode).toBe(1);
  expect(lines.at(-1)).toBe('3 passed, 1 failed, 3 skipped');
});

it('fails everywhere when a service is missing by a fault of this repository', () => {
  const leftOut = withoutDocker.leftOut.map((each) => ({ ...each, broken: true }));
  const { lines, exitCode } = conclude({ ...withoutDocker, leftOut });
  expect(exitCode).toBe(1);
  expect(lines.at(-1)).toBe('3 passed, 1 failed, 3 skipped');
});

it('counts a failure where vitest fails without a failed test', () => {
  const { lines, exitCode } = conclude({ ...allWell, code: 7 });
  expect(exitCode).toBe(7);
  expect(lines.at(-1)).toBe('3 passed, 1 failed, 0 skipped');
});

it('names what failed right before the counts, at most thirty of it', () => {
  const failures = Array.from({ length: 32 }, (_, i) => `a.test.ts > test ${i}: expected 1 to be 2`);
  const { lines } = conclude({ ...allWell, code: 1, results: { ...allWell.results, failed: 32, failures } });
  expect(lines).toHaveLength(32);
  expect(lines[0]).toBe('failed: a.test.ts > test 0: expected 1 to be 2');
  expect(lines.slice(-2)).toEqual(['and 2 more', '3 passed, 32 failed, 0 skipped']);
});
