import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PutCondition } from '../../../runtime/objects/object-store.ts';
import { S3ObjectStore } from '../../../runtime/objects/s3/s3-object-store.ts';
import { keysOf, MIB, putText, streamOf, text } from '../../contract/object-store/contents.ts';
import { must } from '../../support/must.ts';
import { describeWith, objectStore } from '../../support/services/provided.ts';
import { FaultyS3 } from './faulty-s3.ts';

const SLOW_DOWN = { status: 503, code: 'SlowDown' };
const UNDECIDED = { status: 409, code: 'ConditionalRequestConflict' };

describeWith('s3', 'the object store when S3 does not do as it should', () => {
  let faulty: FaultyS3;
  let store: S3ObjectStore;
  /** Another writer, whose requests all pass. */
  let other: S3ObjectStore;

  beforeEach(async () => {
    const { bucket, endpoint, env } = objectStore();
    faulty = await FaultyS3.before(endpoint);
    const location = { bucket, prefix: `faults/${randomUUID()}/` };
    store = new S3ObjectStore({ location, env: { ...env, AWS_ENDPOINT_URL_S3: faulty.endpoint } });
    other = new S3ObjectStore({ location, env });
  });

  afterEach(async () => {
    await other.delete(await keysOf(other));
    await Promise.all([store.close(), other.close()]);
    await faulty[Symbol.asyncDispose]();
  });

  describe('and asks to come back', () => {
    it('does, up to three times', async () => {
      faulty.next(SLOW_DOWN, { status: 500, code: 'InternalError' });
      await putText(store, 'k', 'x');
      expect(faulty.methods).toEqual(['PUT', 'PUT', 'PUT']);
      faulty.next(SLOW_DOWN, SLOW_DOWN);
      expect((await store.head('k'))?.size).toBe(1);
      faulty.next(SLOW_DOWN);
      expect(await text(store, 'k')).toBe('x');
      faulty.next(SLOW_DOWN);
      expect(await keysOf(store)).toEqual(['k']);
      faulty.next(SLOW_DOWN);
      await store.delete(['k']);
      expect(faulty.methods).toEqual(['POST', 'POST']);
    });

    it('gives up after the third, and names the store', async () => {
      const away = { code: 'STORE_UNAVAILABLE', detail: expect.stringContaining('object store') };
      faulty.next(SLOW_DOWN, SLOW_DOWN, SLOW_DOWN);
      await expect(putText(store, 'k', 'x')).rejects.toMatchObject(away);
      expect(faulty.methods).toEqual(['PUT', 'PUT', 'PUT']);
      faulty.next(SLOW_DOWN, SLOW_DOWN, SLOW_DOWN);
      await expect(store.get('k')).rejects.toMatchObject(away);
      expect(await keysOf(other)).toEqual([]);
    });

    it('sends a large buffer again, and a large stream never', async () => {
      const content = Buffer.alloc(2 * MIB, 1);
      faulty.next(SLOW_DOWN);
      await store.put('buffer', content, { size: content.length });
      expect(faulty.methods).toEqual(['PUT', 'PUT']);
      expect((await buffer(must(await other.get('buffer')).content)).equals(content)).toBe(true);

      faulty.next(SLOW_DOWN);
      const stream = streamOf(2 * MIB);
      await expect(store.put('stream', stream, { size: 2 * MIB })).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
      expect(faulty.methods).toEqual(['PUT', 'HEAD']);
      expect(stream.destroyed).toBe(true);
      expect(await keysOf(other)).toEqual(['buffer']);
    });
  });

  describe('and refuses', () => {
    it('is not asked again, and what was tried is told with its words', async () => {
      const denied = { status: 403, code: 'AccessDenied' };
      const told = (what: string) => ({
        code: 'INTERNAL',
        detail: expect.stringMatching(new RegExp(`refused to ${what}.*AccessDenied`)),
      });
      faulty.next(denied);
      await expect(putText(store, 'k', 'x')).rejects.toMatchObject(told('put k'));
      faulty.next(denied);
      await expect(store.get('k')).rejects.toMatchObject(told('get k'));
      faulty.next(denied);
      await expect(keysOf(store, 'a/')).rejects.toMatchObject(told('list a/'));
      faulty.next(denied);
      await expect(store.delete(['k', 'l'])).rejects.toMatchObject(told('delete 2 objects'));
      faulty.next(denied);
      await expect(store.ping()).rejects.toMatchObject(told('answer'));
      expect(faulty.methods).toEqual(['GET']);
    });

    it('before it has the content, lets go of it', async () => {
      faulty.next({ early: 403, code: 'AccessDenied' });
      const stream = streamOf(32 * MIB);
      const put = store.put('k', stream, { size: 32 * MIB });
      // The answer is heard, or the connection breaks under what is still being sent.
      await expect(put).rejects.toMatchObject({
        code: expect.stringMatching(/^(INTERNAL|STORE_UNAVAILABLE)$/),
      });
      expect(stream.destroyed).toBe(true);
      expect(await keysOf(other)).toEqual([]);
    });

    it('to delete some, tells that', async () => {
      const failed = (code: string) => `<?xml version="1.0"?><DeleteResult>
        <Error><Key>b</Key><Code>${code}</Code><Message>no</Message></Error></DeleteResult>`;
      faulty.next({ status: 200, code: '', body: failed('AccessDenied') });
      await expect(store.delete(['a', 'b'])).rejects.toMatchObject({
        code: 'INTERNAL',
        detail: expect.stringMatching(/AccessDenied.*for b/),
      });
      expect(faulty.methods).toEqual(['POST']);
      faulty.next({ status: 200, code: '', body: failed('InternalError') });
      await store.delete(['a', 'b']);
      expect(faulty.methods).toEqual(['POST', 'POST']);
    });

    it('as its bucket is not there, holds no object for absent', async () => {
      const { env } = objectStore();
      const location = { bucket: 'berth-test-no-such-bucket', prefix: '' };
      const nowhere = new S3ObjectStore({ location, env });
      const told = { code: 'INTERNAL', detail: expect.stringContaining('NoSuchBucket') };
      await expect(nowhere.head('k')).rejects.toMatchObject(told);
      await expect(nowhere.get('k')).rejects.toMatchObject(told);
      await expect(nowhere.ping()).rejects.toMatchObject(told);
      await expect(keysOf(nowhere)).rejects.toMatchObject(told);
      const put = nowhere.put('k', Buffer.from('x'), { size: 1, condition: { version: '"0"' } });
      await expect(put).rejects.toMatchObject(told);
      await nowhere.close();
    });
  });

  it('and loses a put on its way, it is sent again', async () => {
    faulty.next('lose-request');
    const put = store.put('k', Buffer.from('mine'), { size: 4, condition: { absent: true } });
    expect(await put).toEqual({ version: must(await other.head('k')).version });
    expect(faulty.methods).toEqual(['PUT', 'PUT']);
  });

  describe('and loses the answer to a put', () => {
    const conditions: [string, () => Promise<PutCondition | undefined>][] = [
      ['without a condition', async () => undefined],
      ['that there is none', async () => ({ absent: true })],
      ['of a version', async () => ({ version: await putText(other, 'k', 'before') })],
    ];

    it.each(conditions)('%s, tells it as stored', async (_, conditionOf) => {
      const condition = await conditionOf();
      faulty.next('lose-answer');
      const outcome = await store.put('k', Buffer.from('mine'), { size: 4, ...(condition && { condition }) });
      expect(outcome).toEqual({ version: must(await other.head('k')).version });
      expect(await text(other, 'k')).toBe('mine');
      expect(faulty.methods).toEqual(condition ? ['PUT', 'PUT', 'HEAD'] : ['PUT', 'PUT']);
    });

    it.each(conditions)(
      '%s, of a large stream, asks for it instead of sending it again',
      async (_, conditionOf) => {
        const condition = await conditionOf();
        const size = 2 * MIB;
        faulty.next('lose-answer');
        const outcome = await store.put('k', streamOf(size), { size, ...(condition && { condition }) });
        expect(outcome).toEqual({ version: must(await other.head('k')).version });
        expect((await other.head('k'))?.size).toBe(size);
        expect(faulty.methods).toEqual(['PUT', 'HEAD']);
      },
    );

    it('that another has won, tells the conflict', async () => {
      await putText(other, 'k', 'theirs');
      faulty.next('lose-answer');
      const put = store.put('k', Buffer.from('mine'), { size: 4, condition: { absent: true } });
      expect(await put).toBe('conflict');
      expect(faulty.methods).toEqual(['PUT', 'PUT', 'HEAD']);
      expect(await text(other, 'k')).toBe('theirs');
    });

    it('that another has won with the very same content, tells the conflict', async () => {
      await putText(other, 'k', 'same');
      faulty.next('lose-answer');
      const put = store.put('k', Buffer.from('same'), { size: 4, condition: { absent: true } });
      expect(await put).toBe('conflict');
    });

    it('and then does not say whose the object is, tells the outage', async () => {
      faulty.next('lose-answer', 'none', SLOW_DOWN, SLOW_DOWN, SLOW_DOWN);
      const put = store.put('k', Buffer.from('mine'), { size: 4, condition: { absent: true } });
      await expect(put).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(faulty.methods).toEqual(['PUT', 'PUT', 'HEAD', 'HEAD', 'HEAD']);
    });

    it('and all that follow, tells the outage', async () => {
      faulty.next('lose-answer', 'lose-answer', 'lose-answer');
      const put = store.put('k', Buffer.from('mine'), { size: 4, condition: { absent: true } });
      await expect(put).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(await text(other, 'k')).toBe('mine');
    });
  });

  describe('and can not decide a condition yet', () => {
    it('is asked again', async () => {
      faulty.next(UNDECIDED);
      const put = store.put('k', Buffer.from('mine'), { size: 4, condition: { absent: true } });
      expect(await put).toEqual({ version: must(await other.head('k')).version });
      expect(faulty.methods).toEqual(['PUT', 'PUT']);
    });

    it('is taken for a conflict in the end', async () => {
      faulty.next(UNDECIDED, UNDECIDED, UNDECIDED);
      const put = store.put('k', Buffer.from('mine'), { size: 4, condition: { absent: true } });
      expect(await put).toBe('conflict');
      expect(faulty.methods).toEqual(['PUT', 'PUT', 'PUT']);
      faulty.next(UNDECIDED);
      expect(await store.put('k', streamOf(2 * MIB), { size: 2 * MIB, condition: { absent: true } })).toBe(
        'conflict',
      );
      expect(await keysOf(other)).toEqual([]);
    });

    it('as what came before may still be carried out, tells the outage', async () => {
      faulty.next('lose-request', UNDECIDED, UNDECIDED);
      const put = store.put('k', Buffer.from('mine'), { size: 4, condition: { absent: true } });
      await expect(put).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(faulty.methods).toEqual(['PUT', 'PUT', 'PUT', 'HEAD']);
    });

    it('but has carried out what came before, tells it as stored', async () => {
      faulty.next('lose-answer', UNDECIDED, UNDECIDED);
      const put = store.put('k', Buffer.from('mine'), { size: 4, condition: { absent: true } });
      expect(await put).toEqual({ version: must(await other.head('k')).version });
    });
  });

  it('and breaks off an object, its content fails', async () => {
    await store.put('k', Buffer.alloc(4 * MIB), { size: 4 * MIB });
    faulty.next('cut-answer');
    const { content } = must(await store.get('k'));
    await expect(buffer(content)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      detail: expect.stringContaining('get k'),
    });
  });
});
