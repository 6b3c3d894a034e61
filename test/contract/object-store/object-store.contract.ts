import { afterEach } from 'vitest';
import { closingContract } from './closing.contract.ts';
import { conditionsContract } from './conditions.contract.ts';
import { contentContract } from './content.contract.ts';
import { keysContract } from './keys.contract.ts';
import { listingContract } from './listing.contract.ts';
import { puttingContract } from './putting.contract.ts';
import type { OpenStore, StoreUnderTest } from './store-under-test.ts';

/** What every adapter of the object store promises. */
export function objectStoreContract(open: OpenStore): void {
  const opened: StoreUnderTest[] = [];
  const tracked: OpenStore = async (options) => {
    const under = await open(options);
    opened.push(under);
    return under;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((under) => under[Symbol.asyncDispose]()));
  });

  puttingContract(tracked);
  conditionsContract(tracked);
  contentContract(tracked);
  listingContract(tracked);
  keysContract(tracked);
  closingContract(tracked);
}
