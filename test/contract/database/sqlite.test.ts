import { describe } from 'vitest';
import { databaseContract } from './database.contract.ts';
import { sqliteUnderTest } from './database-under-test.ts';

describe('the database in SQLite', () => databaseContract(sqliteUnderTest));
