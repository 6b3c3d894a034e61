import type { OpenState } from './state-under-test.ts';
import { workerEndingContract } from './workers/ending.contract.ts';
import { workerInstancesContract } from './workers/instances.contract.ts';
import { workerUseContract } from './workers/use.contract.ts';
import { workerWaitingContract } from './workers/waiting.contract.ts';

/** What every adapter of the state promises of functions' workers. */
export function workersContract(open: OpenState): void {
  workerUseContract(open);
  workerEndingContract(open);
  workerInstancesContract(open);
  workerWaitingContract(open);
}
