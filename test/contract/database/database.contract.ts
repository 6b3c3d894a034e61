import { afterEach, describe } from 'vitest';
import { apiWritesContract } from './api-writes.contract.ts';
import type { DatabaseUnderTest, OpenDatabase } from './database-under-test.ts';
import { foundationContract } from './foundation.contract.ts';
import { functionsContract } from './functions.contract.ts';
import { otherWritesContract } from './other-writes.contract.ts';
import { reconcilerContract } from './reconciler.contract.ts';

/** What every database must do. Each test has one of its own. */
export function databaseContract(open: OpenDatabase): void {
  const opened: DatabaseUnderTest[] = [];
  const tracked: OpenDatabase = async () => {
    const under = await open();
    opened.push(under);
    return under;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((under) => under[Symbol.asyncDispose]()));
  });
  foundationContract(tracked);
  describe('the API', () => apiWritesContract(tracked));
  describe('functions', () => functionsContract(tracked));
  describe('proxy, TTL manager and monitor', () => otherWritesContract(tracked));
  describe('the reconciler', () => reconcilerContract(tracked));
}
