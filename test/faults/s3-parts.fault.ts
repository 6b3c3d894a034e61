import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PutCondition } from '../../runtime/objects/object-store.ts';
import type { S3Limits } from '../../runtime/objects/s3/s3-limits.ts';
import type { S3Location } from '../../runtime/objects/s3/s3-location.ts';
import { S3ObjectStore } from '../../runtime/objects/s3/s3-object-store.ts';
import {
  keysOf,
  MIB,
  never,
  putText,
  streamThen,
  text,
  variedBytes,
} from '../contract/object-store/contents.ts';
import {
  giveUpUploads,
  unfinishedParts,
  unfinishedUploads,
} from '../contract/object-store/unfinished-uploads.ts';
import { type Fault, FaultyS3 } from '../runtime/objects/faulty-s3.ts';
import { CuttableRelay } from '../support/cuttable-relay.ts';
import { must } from '../support/must.ts';
import { describeWith, objectStore } from '../support/services/provided.ts';

const AWAY = { code: 'STORE_UNAVAILABLE', detail: expect.stringContaining('object store') };
const SLOW_DOWN = { status: 503, code: 'SlowDown' };
const UNDECIDED = { status: 409, code: 'ConditionalRequestConflict' };
/** The status came before the store knew. */
const inBody = (code: string) => ({ status: 200, code });
const unknown = { size: 'unknown' } as const;
const CONTENT = variedBytes(9 * MIB);
/** More than is held in memory. */
const LARGE = variedBytes(40 * MIB);
const IN_PARTS = ['begin', 'part 1', 'part 2', 'complete'];

describeWith('s3', 'an upload in parts', () => {
  let location: S3Location;
  /** Over a way that holds. */
  let direct: S3ObjectStore;
  const stores: S3ObjectStore[] = [];

  beforeEach(() => {
    const { bucket, env } = objectStore();
    location = { bucket, prefix: `parts/${randomUUID()}/` };
    direct = open(env.AWS_ENDPOINT_URL_S3 ?? '');
  });

  afterEach(async () => {
    await direct.delete(await keysOf(direct));
    await Promise.all(stores.splice(0).map((store) => store.close()));
    expect(await unfinishedUploads(location.prefix)).toEqual([]);
  });

  function open(endpoint: string, limits: Partial<S3Limits> = {}): S3ObjectStore {
    const env = { ...objectStore().env, AWS_ENDPOINT_URL_S3: endpoint };
    const store = new S3ObjectStore({ location, env, limits });
    stores.push(store);
    return store;
  }

  const stream = () => Readable.from([CONTENT.subarray(0, 5 * MIB), CONTENT.subarray(5 * MIB)]);
  const put = (store: S3ObjectStore, condition?: PutCondition) =>
    store.put('k', stream(), { ...unknown, ...(condition && { condition }) });
  const isWhole = async (content = CONTENT) =>
    (await buffer(must(await direct.get('k')).content)).equals(content);

  describe('to a store that does not do as it should', () => {
    let faulty: FaultyS3;
    let store: S3ObjectStore;

    beforeEach(async () => {
      faulty = await FaultyS3.before(objectStore().endpoint);
      store = open(faulty.endpoint);
    });
    afterEach(() => faulty[Symbol.asyncDispose]());

    const calls = () => faulty.seen.map(callOf);
    const failing = (call: string, ...faults: Fault[]) => {
      faulty.otherwise = (request) => (callOf(request) === call ? faults.shift() : undefined);
    };

    it('is a request a part, or one request where it is one part', async () => {
      await put(store);
      expect(calls()).toEqual(IN_PARTS);
      expect(await isWhole()).toBe(true);
      faulty.next();
      await store.put('k', Readable.from([CONTENT.subarray(0, 5 * MIB)]), unknown);
      expect(calls()).toEqual(['put']);
    });

    it.each([
      ['begin', SLOW_DOWN],
      ['part 1', 'lose-request'],
      ['part 2', 'lose-answer'],
      ['part 2', SLOW_DOWN],
      ['complete', 'lose-request'],
      ['complete', inBody('InternalError')],
    ] as const)('sends again what failed, from memory (%s)', async (call, fault) => {
      failing(call, fault);
      expect(await put(store)).toEqual({ version: must(await direct.head('k')).version });
      expect(calls().toSorted()).toEqual([...IN_PARTS, call].toSorted());
      expect(await isWhole()).toBe(true);
    });

    it('is given up when a part fails three times, and lets go of its content', async () => {
      await putText(direct, 'k', 'before');
      failing('part 1', SLOW_DOWN, SLOW_DOWN, SLOW_DOWN);
      const content = streamThen(9 * MIB, never);
      await expect(store.put('k', content, unknown)).rejects.toMatchObject(AWAY);
      expect(calls()).toEqual(['begin', 'part 1', 'part 1', 'part 1', 'give up']);
      expect(content.destroyed).toBe(true);
      expect(await text(direct, 'k')).toBe('before');
    });

    it('is given up at once when a part is refused, and the words are told', async () => {
      failing('part 2', { status: 403, code: 'AccessDenied' });
      await expect(put(store)).rejects.toMatchObject({
        code: 'INTERNAL',
        detail: expect.stringMatching(/refused to put k.*AccessDenied/),
      });
      expect(calls().filter((call) => call === 'part 2')).toHaveLength(1);
      expect(calls().at(-1)).toBe('give up');
      expect(await keysOf(direct)).toEqual([]);
    });

    it('tells how it failed, though it can not even be given up', async () => {
      const failure = new Error('the agent is gone');
      failing('give up', SLOW_DOWN, SLOW_DOWN, SLOW_DOWN);
      const content = streamThen(9 * MIB, () => Promise.reject(failure));
      await expect(store.put('k', content, unknown)).rejects.toBe(failure);
      expect(await unfinishedUploads(location.prefix)).toEqual([`${location.prefix}k`]);
      await giveUpUploads(location.prefix);
    });

    describe('whose answer to the end is lost', () => {
      const conditions: [string, () => Promise<PutCondition | undefined>][] = [
        ['without a condition', async () => undefined],
        ['that there is none', async () => ({ absent: true })],
        ['of a version', async () => ({ version: await putText(direct, 'k', 'before') })],
      ];

      it.each(conditions)('%s, is told as stored', async (_, conditionOf) => {
        const condition = await conditionOf();
        failing('complete', 'lose-answer');
        expect(await put(store, condition)).toEqual({ version: must(await direct.head('k')).version });
        expect(calls().slice(-3)).toEqual(['complete', 'complete', 'head']);
        expect(await isWhole()).toBe(true);
      });

      it('every time, is asked for', async () => {
        failing('complete', 'lose-answer', 'lose-answer', 'lose-answer');
        expect(await put(store)).toEqual({ version: must(await direct.head('k')).version });
      });

      it('and that is replaced since, is told as an outage', async () => {
        failing('complete', 'lose-answer');
        const lost = faulty.otherwise;
        faulty.otherwise = async (request) => {
          if (callOf(request) === 'head') await putText(direct, 'k', 'after');
          return lost(request);
        };
        await expect(put(store)).rejects.toMatchObject(AWAY);
        expect(await text(direct, 'k')).toBe('after');
      });
    });

    it.each([
      ['the answer says so late', [inBody('PreconditionFailed')], ['complete']],
      ['that stays undecided', [UNDECIDED, UNDECIDED, UNDECIDED], Array<string>(3).fill('complete')],
      [
        'the upload is over before it is decided',
        [UNDECIDED, { status: 404, code: 'NoSuchUpload' }, { status: 404, code: 'NoSuchUpload' }],
        Array<string>(3).fill('complete'),
      ],
    ])('is a conflict when %s, and is given up', async (_, faults, completions) => {
      failing('complete', ...faults);
      expect(await put(store, { absent: true })).toBe('conflict');
      expect(calls().slice(3)).toEqual([...completions, 'give up']);
      expect(await keysOf(direct)).toEqual([]);
    });

    it('that the store has forgotten, tells so', async () => {
      failing('complete', { status: 404, code: 'NoSuchUpload' });
      await expect(put(store)).rejects.toMatchObject({
        code: 'INTERNAL',
        detail: expect.stringContaining('NoSuchUpload'),
      });
      expect(await keysOf(direct)).toEqual([]);
    });
  });

  describe('over a way that breaks', () => {
    let relay: CuttableRelay;
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);

    beforeEach(async () => {
      process.on('unhandledRejection', note);
      const { hostname, port } = new URL(objectStore().endpoint);
      relay = await CuttableRelay.open({ host: hostname, port: Number(port) });
    });
    afterEach(async () => {
      await relay[Symbol.asyncDispose]();
      process.off('unhandledRejection', note);
      expect(unhandled).toEqual([]);
    });

    const overRelay = (limits: Partial<S3Limits> = {}) => open(`http://127.0.0.1:${relay.port}`, limits);
    /** Content in the middle of whose parts something happens. */
    const eventful = (happens: () => void) =>
      Readable.from(
        (function* () {
          for (let at = 0; at < LARGE.length; at += MIB) {
            if (at === 16 * MIB) happens();
            yield LARGE.subarray(at, at + MIB);
          }
        })(),
      );

    it('for a moment, goes on where it was', async () => {
      const store = overRelay();
      const content = eventful(() => {
        relay.cut();
        relay.restore();
      });
      await store.put('k', content, unknown);
      expect(await isWhole(LARGE)).toBe(true);
    });

    it('in the middle of a part, leaves nothing that readers see', async () => {
      const store = overRelay();
      const content = eventful(() => relay.cut());
      await expect(store.put('k', content, unknown)).rejects.toMatchObject(AWAY);
      expect(content.destroyed).toBe(true);
      expect(await keysOf(direct)).toEqual([]);
      // Nobody could tell the store.
      await giveUpUploads(location.prefix);
    });

    it('and stands still in the middle of a part, is given up once it is back', async () => {
      const store = overRelay({ stallMs: 300 });
      const content = eventful(() => relay.freeze());
      const putting = store.put('k', content, unknown);
      putting.catch(() => {});
      // What is on its way is ended when it has stood still for the third time.
      await vi.waitFor(() => expect(content.destroyed).toBe(true), { timeout: 10_000 });
      relay.restore();
      await expect(putting).rejects.toMatchObject(AWAY);
      expect(await keysOf(direct)).toEqual([]);
    });

    it('before the end, tells an outage and leaves what was', async () => {
      await putText(direct, 'k', 'before');
      const store = overRelay();
      const content = streamThen(16 * MIB, async () => {
        // All but the last has come: little is left but to say so.
        await vi.waitFor(async () => expect(await unfinishedParts(location.prefix)).toBe(3));
        relay.cut();
        return Buffer.from('end');
      });
      await expect(store.put('k', content, unknown)).rejects.toMatchObject(AWAY);
      expect(await text(direct, 'k')).toBe('before');
      await giveUpUploads(location.prefix);
    });

    it('ends with its store, soon', async () => {
      const store = overRelay({ totalMs: 500, attemptMs: 300 });
      const begun = Promise.withResolvers<void>();
      const content = streamThen(9 * MIB, () => {
        relay.freeze();
        begun.resolve();
        return never();
      });
      const putting = store.put('k', content, unknown);
      putting.catch(() => {});
      await begun.promise;
      const began = performance.now();
      await store.close();
      await expect(putting).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
      expect(performance.now() - began).toBeLessThan(3_000);
      relay.restore();
      await vi.waitFor(() => expect(relay.connections).toBe(0));
      await giveUpUploads(location.prefix);
    });
  });

  it('of 128 MiB takes less than 60 MB', async () => {
    const piece = Buffer.alloc(MIB);
    let most = 0;
    const before = process.memoryUsage().rss;
    function* pieces() {
      for (let given = 0; given < 128; given++) {
        most = Math.max(most, process.memoryUsage().rss - before);
        yield piece;
      }
    }
    await direct.put('k', Readable.from(pieces(), { objectMode: false }), unknown);
    expect((await direct.head('k'))?.size).toBe(128 * MIB);
    expect(most).toBeLessThan(60_000_000);
  });
});

/** A request in words. */
function callOf({ method, path }: { method: string; path: string }): string {
  const query = new URL(path, 'http://s3').searchParams;
  const part = query.get('partNumber');
  if (query.has('uploads')) return 'begin';
  if (part !== null) return `part ${part}`;
  if (!query.has('uploadId')) return method.toLowerCase();
  return method === 'DELETE' ? 'give up' : 'complete';
}
