import { archiveContract } from './archive.contract.ts';
import { lostRuntimeContract } from './lost-runtime.contract.ts';
import { provisionContract } from './provision.contract.ts';
import { restoreContract } from './restore.contract.ts';
import { restoreFailureContract } from './restore-failure.contract.ts';
import { VolumeHarness, type VolumesUnderTest } from './volumes-under-test.ts';

/** What every backend that keeps files promises. */
export function volumeBackendContract(prepare: () => VolumesUnderTest | Promise<VolumesUnderTest>): void {
  const harness = new VolumeHarness(prepare);
  provisionContract(harness);
  archiveContract(harness);
  restoreContract(harness);
}

/** The same, when something goes wrong on the way. */
export function volumeHarmContract(prepare: () => VolumesUnderTest | Promise<VolumesUnderTest>): void {
  const harness = new VolumeHarness(prepare);
  restoreFailureContract(harness);
  lostRuntimeContract(harness);
}
