import { AppHarness, type AppsUnderTest } from './app-harness.ts';
import { appEndingContract } from './ending-contract.ts';
import { appIsolationContract } from './isolation-contract.ts';
import { appLookingContract } from './looking-contract.ts';
import { appMakingContract } from './making-contract.ts';
import { appVolumeContract } from './volume-contract.ts';

/** What every backend promises of containers that run a program of their image; what they reach, each in its own way. */
export function appsContract(
  prepare: () => Promise<AppsUnderTest>,
  isolation: (harness: AppHarness) => void = appIsolationContract,
): void {
  const harness = new AppHarness(prepare);
  appLookingContract(harness);
  appMakingContract(harness);
  appVolumeContract(harness);
  appEndingContract(harness);
  isolation(harness);
}
