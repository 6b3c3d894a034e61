import type { Results } from './count-results.ts';
import type { LeftOut } from './services/start-services.ts';

export interface RunOutcome {
  /** vitest's. */
  readonly code: number;
  readonly results: Results;
  readonly leftOut: readonly LeftOut[];
  readonly inCi: boolean;
}

/** What a run says last: what was left out and how to have it, what failed, the counts. In CI a missing service fails. */
export function conclude({ code, results, leftOut, inCi }: RunOutcome): {
  lines: string[];
  exitCode: number;
} {
  const missedServices = leftOut.filter(({ broken }) => inCi || broken === true).length;
  const failed = Math.max(results.failed, code === 0 ? 0 : 1) + missedServices;
  return {
    lines: [
      ...skippedLines(results.skippedTests),
      ...leftOut.flatMap(({ service, missing }) => [
        `without ${service.name} (${service.neededBy}): ${missing}`,
        `  to have it: ${service.remedy}`,
      ]),
      ...shortened(results.failures.map((failure) => `failed: ${failure}`)),
      `${results.passed} passed, ${failed} failed, ${results.skipped} skipped`,
    ],
    exitCode: code === 0 && failed > 0 ? 1 : code,
  };
}

/** By name, but those that only wait for a service as one line a suite. */
function skippedLines(tests: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const test of tests) {
    const suite = /^.* \(without [^)]*\)/.exec(test)?.[0] ?? test;
    counts.set(suite, (counts.get(suite) ?? 0) + 1);
  }
  return shortened(
    [...counts].map(([name, count]) => `skipped: ${name}${count === 1 ? '' : `: ${count} tests`}`),
  );
}

const shortened = (lines: string[], shown = 30): string[] =>
  lines.length > shown ? [...lines.slice(0, shown), `and ${lines.length - shown} more`] : lines;
