import { describeWith, postgres } from '../../support/services/provided.ts';
import { databaseContract } from './database.contract.ts';
import { postgresUnderTest } from './database-under-test.ts';

describeWith('postgres', 'the database in Postgres', () => {
  databaseContract(() => postgresUnderTest(postgres().url));
});
