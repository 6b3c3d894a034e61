import { afterAll } from 'vitest';
import { acquireContract } from './acquire.contract.ts';
import { endingContract } from './ending.contract.ts';
import { lookingContract } from './looking.contract.ts';
import { preparationContract } from './preparation.contract.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';
import { workContract } from './work.contract.ts';

/** What every adapter of the conversations' store promises. */
export function conversationStoreContract(open: OpenStore): void {
  const opened: StoreUnderTest[] = [];
  const tracked: OpenStore = async () => {
    const under = await open();
    opened.push(under);
    return under;
  };
  afterAll(async () => {
    await Promise.all(opened.map((under) => under[Symbol.asyncDispose]()));
  });

  acquireContract(tracked);
  preparationContract(tracked);
  workContract(tracked);
  endingContract(tracked);
  lookingContract(tracked);
}
