import { expect, it } from 'vitest';
import { destroyAll, destroyAllWorks } from '../e2e/destroy-all.e2e.ts';
import { Cluster } from '../support/cluster.ts';
import { describeWith, redis } from '../support/services/provided.ts';

describeWith(['docker', 'redis', 's3', 'workspace-base-image'], 'berth destroy-all', () => {
  destroyAllWorks((env, url = redis().url) => new Cluster(url, env));

  it('explains itself', async () => {
    expect(await destroyAll({}, '--help')).toMatchObject({
      code: 0,
      output: expect.stringContaining('--purge'),
    });
    expect(await destroyAll({}, '--nonsense')).toMatchObject({ code: 2 });
  });
});
