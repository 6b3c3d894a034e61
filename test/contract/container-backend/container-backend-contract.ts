import { createContract } from './create-contract.ts';
import { endingContract } from './ending-contract.ts';
import { type BackendUnderTest, Harness } from './harness.ts';
import { lookingContract } from './looking-contract.ts';

/** What every backend promises. */
export function containerBackendContract(prepare: () => BackendUnderTest | Promise<BackendUnderTest>): void {
  const harness = new Harness(prepare);
  lookingContract(harness);
  createContract(harness);
  endingContract(harness);
}
