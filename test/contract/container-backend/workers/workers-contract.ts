import { AppHarness, type AppsUnderTest } from '../apps/app-harness.ts';
import { appEndingContract } from '../apps/ending-contract.ts';
import { appIsolationContract } from '../apps/isolation-contract.ts';
import { appMakingContract } from '../apps/making-contract.ts';
import { workerHandlerContract } from './handler-contract.ts';
import { workerLookingContract } from './looking-contract.ts';
import { workerPauseContract } from './pause-contract.ts';

/** What every backend promises of the workers of functions: all that it does of apps, and what pools need. */
export function workersContract(prepare: () => Promise<AppsUnderTest>): void {
  const harness = new AppHarness(prepare, 'function');
  workerLookingContract(harness);
  workerPauseContract(harness);
  workerHandlerContract(harness);
  appMakingContract(harness);
  appEndingContract(harness);
  appIsolationContract(harness);
}
