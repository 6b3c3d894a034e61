import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresAnswers } from './private-postgres.ts';
import { describeWith, startPostgres } from './provided.ts';

describeWith('postgres-server', 'a Postgres of a test of its own', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('can be paused and resumed', async () => {
    await server.pause();
    expect(await postgresAnswers(server.url)).toBe(false);
    await server.resume();
    expect(await postgresAnswers(server.url)).toBe(true);
  });

  it('can be stopped, while it is paused too, and comes back at the same address', async () => {
    await server.pause();
    await server.stop();
    expect(await postgresAnswers(server.url)).toBe(false);
    await server.start();
    expect(await postgresAnswers(server.url)).toBe(true);
  });
});
