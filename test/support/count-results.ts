import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node';

export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Full names of what failed, each with how its error begins. */
  readonly failures: readonly string[];
  /** Full names of the skipped tests. */
  readonly skippedTests: readonly string[];
}

/** A reporter for test/run.ts: writes the counts to the file that `TEST_RESULTS_FILE` names. */
export default class CountResults implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const file = process.env.TEST_RESULTS_FILE;
    if (file !== undefined) writeFileSync(file, JSON.stringify(count(modules, errors)));
  }
}

function count(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Results {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const inState = (state: string) => tests.filter((test) => test.result().state === state);
  const skipped = tests.filter((test) => !['passed', 'failed'].includes(test.result().state));
  // A file that does not load, a hook that throws and an error outside any test are failures without a test.
  const failures = [
    ...inState('failed').map((test) => told(nameOf(test), test.result().errors?.[0])),
    ...modules
      .flatMap((module) => [module, ...[...module.children.allSuites()]])
      .filter((suite) => suite.errors().length > 0)
      .map((suite) =>
        told(suite.type === 'module' ? suite.relativeModuleId : nameOf(suite), suite.errors()[0]),
      ),
    ...unhandled.map((error) => told('outside of any test', error)),
  ];
  return {
    passed: inState('passed').length,
    failed: failures.length,
    failures,
    skipped: skipped.length,
    skippedTests: skipped.map(nameOf),
  };
}

const nameOf = (test: TestCase | TestSuite): string => `${test.module.relativeModuleId} > ${test.fullName}`;

function told(name: string, error: SerializedError | undefined): string {
  const [first = ''] = (error?.message ?? '').split('\n');
  return `${name}: ${first.slice(0, 300)}`;
}
