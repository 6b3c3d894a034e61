import { postgresAnswers, startPrivatePostgres } from './private-postgres.ts';
import { nothingToStop, type Service } from './service.ts';

export const postgres: Service = {
  name: 'postgres',
  neededBy: "the Postgres database's tests",
  remedy: 'name a Postgres (15 or later) in TEST_POSTGRES_URL, or put its programs on the path',
  async start({ env, folder }) {
    const given = env.TEST_POSTGRES_URL;
    if (given !== undefined && (await postgresAnswers(given))) {
      return { env: { TEST_POSTGRES_URL: given }, stop: nothingToStop };
    }
    if (env.TEST_POSTGRES_SERVER === undefined) {
      return { missing: given === undefined ? 'no Postgres' : 'nothing answers at TEST_POSTGRES_URL' };
    }
    const server = await startPrivatePostgres(env.TEST_POSTGRES_SERVER, folder);
    return { env: { TEST_POSTGRES_URL: server.url }, stop: server.stop };
  },
};
