import { afterAll } from 'vitest';
import { acquireContract } from './acquire.contract.ts';
import { activityContract } from './activity.contract.ts';
import { adoptionContract } from './adoption.contract.ts';
import { beginExecutionContract } from './begin-execution.contract.ts';
import { claimContract } from './claim.contract.ts';
import { confirmWorkContract } from './confirm-work.contract.ts';
import { egressSettingsContract } from './egress-settings.contract.ts';
import { endingContract } from './ending.contract.ts';
import { eventLogContract } from './event-log.contract.ts';
import { exchangeContract } from './exchange.contract.ts';
import { leasesContract } from './leases.contract.ts';
import { lookingContract } from './looking.contract.ts';
import { preparationContract } from './preparation.contract.ts';
import { relayContract } from './relay.contract.ts';
import type { OpenState, StateUnderTest } from './state-under-test.ts';
import { tasksContract } from './tasks.contract.ts';
import { warmPoolContract } from './warm-pool.contract.ts';
import { workContract } from './work.contract.ts';
import { workersContract } from './workers.contract.ts';

/** What every adapter of the state promises. */
export function stateContract(open: OpenState): void {
  const opened: StateUnderTest[] = [];
  const tracked: OpenState = async () => {
    const under = await open();
    opened.push(under);
    return under;
  };
  afterAll(async () => {
    await Promise.all(opened.map((under) => under[Symbol.asyncDispose]()));
  });

  acquireContract(tracked);
  claimContract(tracked);
  exchangeContract(tracked);
  preparationContract(tracked);
  confirmWorkContract(tracked);
  workContract(tracked);
  endingContract(tracked);
  lookingContract(tracked);
  beginExecutionContract(tracked);
  relayContract(tracked);
  eventLogContract(tracked);
  warmPoolContract(tracked);
  adoptionContract(tracked);
  leasesContract(tracked);
  egressSettingsContract(tracked);
  tasksContract(tracked);
  activityContract(tracked);
  workersContract(tracked);
}
