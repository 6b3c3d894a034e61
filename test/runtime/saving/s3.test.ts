import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isBerthError } from '../../../runtime/contracts/errors.ts';
import { S3ObjectStore } from '../../../runtime/objects/s3/s3-object-store.ts';
import { type OpenStore, s3UnderTest } from '../../contract/object-store/store-under-test.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import { must } from '../../support/must.ts';
import { describeWith, objectStore } from '../../support/services/provided.ts';
import { savingContract } from './saving.contract.ts';
import { SavingScenario } from './saving-scenario.ts';

describeWith('s3', 'saving to S3', () => savingContract(s3UnderTest));

describeWith('s3', 'saving to an S3 that comes and goes', () => {
  let relay: CuttableRelay | undefined;

  const openBehindRelay: OpenStore = async () => {
    const { bucket, endpoint, env } = objectStore();
    const { hostname, port } = new URL(endpoint);
    const opened = await CuttableRelay.open({ host: hostname, port: Number(port) });
    relay = opened;
    const location = { bucket, prefix: `saving/${randomUUID()}/` };
    const store = new S3ObjectStore({
      location,
      env: { ...env, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${opened.port}` },
      limits: { totalMs: 4000, attemptMs: 2000, stallMs: 2000 },
    });
    const dispose = async () => {
      opened.restore();
      await store.delete(await Array.fromAsync(store.list(''), ({ key }) => key));
      await store.close();
      await opened[Symbol.asyncDispose]();
    };
    return { store, longestKey: 900, [Symbol.asyncDispose]: dispose };
  };

  const scenario = SavingScenario.use(openBehindRelay);

  describe.each([
    ['small', 2_000],
    ['large', 3_000_000],
  ])('with %s files', (_size, bytes) => {
    it.each(['cut', 'freeze'] as const)(
      'fails when it is lost in the middle (%s), and then goes on',
      async (how) => {
        scenario.one.write('before', 'before');
        const version = await scenario.saved(scenario.one);
        for (let n = 0; n < 12; n += 1) scenario.one.write(`file-${n}`, randomBytes(bytes));
        scenario.store.beforePut = () => {
          if (scenario.store.blobPuts.length === 8) must(relay)[how]();
        };
        const failure = await scenario.save(scenario.one, version).catch((error) => error);
        expect(isBerthError(failure, 'STORE_UNAVAILABLE')).toBe(true);
        expect(scenario.store.underWay).toBe(0);
        must(relay).restore();
        scenario.store.beforePut = () => undefined;
        expect(await scenario.savedPaths()).toEqual(['before']);
        expect(await scenario.save(scenario.one, version)).toMatchObject({ kind: 'saved', files: 13 });

        let gets = 0;
        scenario.store.beforeGet = () => {
          gets += 1;
          if (gets === 6) must(relay)[how]();
        };
        const failed = await scenario.restore(scenario.two).catch((error) => error);
        expect(isBerthError(failed, 'STORE_UNAVAILABLE')).toBe(true);
        must(relay).restore();
        scenario.two.renew();
        await scenario.restore(scenario.two);
        expect(scenario.two.tree()).toEqual(scenario.one.tree());
      },
      60_000,
    );
  });
});
