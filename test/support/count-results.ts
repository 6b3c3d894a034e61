import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
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
  const failedSuites = modules
    .flatMap((module) => [module, ...module.children.allSuites()])
    .filter((suite) => suite.errors().length > 0);
  return {
    passed: inState('passed').length,
    failed: inState('failed').length + failedSuites.length + unhandled.length,
    skipped: skipped.length,
    skippedTests: skipped.map((test) => `${test.module.relativeModuleId} > ${test.fullName}`),
  };
}
