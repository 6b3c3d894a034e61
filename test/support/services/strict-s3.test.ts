import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PrivateS3 } from './private-s3.ts';
import { describeWith, startS3 } from './provided.ts';

/** moto looks no further than whether a request is signed. */
const Authorization =
  'AWS4-HMAC-SHA256 Credential=tests/20300101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0';

describeWith('moto', 'the S3 of a run', () => {
  let s3: PrivateS3;
  beforeAll(async () => {
    // Threads take turns so often that a check apart from its write shows.
    s3 = await startS3({ switchSeconds: 0.000001 });
  });
  afterAll(() => s3.stop());

  const call = async (method: string, key: string, body = '', headers: Record<string, string> = {}) => {
    const init = { method, headers: { Authorization, ...headers }, ...(body === '' ? {} : { body }) };
    const answer = await fetch(`${s3.endpoint}/${s3.bucket}/${key}`, init);
    const text = await answer.text();
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', text };
  };

  /** Sends the head of a put and the beginning of its body. */
  const beginPut = (key: string, length: number, beginning: string) => {
    const socket = connect(Number(new URL(s3.endpoint).port), '127.0.0.1');
    const head = [`PUT /${s3.bucket}/${key} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: ${Authorization}`];
    socket.write([...head, `Content-Length: ${length}`, '', beginning].join('\r\n'));
    return socket;
  };

  it('lets one of many conditional writers through', async () => {
    for (let round = 0; round < 30; round++) {
      const key = `round-${round}`;
      const race = async (headers: Record<string, string>) => {
        const writers = Array.from({ length: 12 }, (_, n) =>
          call('PUT', key, JSON.stringify([n, headers]), headers),
        );
        return (await Promise.all(writers)).map(({ status }) => status).sort();
      };
      const oneWins = [200, ...Array<number>(11).fill(412)];
      expect(await race({ 'If-None-Match': '*' })).toEqual(oneWins);
      const { etag } = await call('HEAD', key);
      expect(await race({ 'If-Match': etag })).toEqual(oneWins);
    }
  });

  it('answers a condition on what is not there as S3 does', async () => {
    const { status, text } = await call('PUT', 'absent', 'x', { 'If-Match': '"0"' });
    expect([status, text]).toEqual([404, expect.stringContaining('<Code>NoSuchKey</Code>')]);
  });

  it('keeps nothing of a body that is cut off', async () => {
    const socket = beginPut('cut', 10, '12345');
    socket.end();
    const [answer] = await once(socket, 'data');
    expect(answer.toString()).toMatch(/^HTTP\/1\.\d 400 /);
    socket.destroy();
    expect((await call('GET', 'cut')).status).toBe(404);
  });

  it('keeps nothing of a body that is not the one that was signed or summed up', async () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const md5 = (text: string) => createHash('md5').update(text).digest('base64');
    for (const [headers, code] of [
      [{ 'x-amz-content-sha256': sha256('other') }, 'XAmzContentSHA256Mismatch'],
      [{ 'Content-MD5': md5('other') }, 'BadDigest'],
    ] as const) {
      const { status, text } = await call('PUT', 'summed', 'body', headers);
      expect([status, text]).toEqual([400, expect.stringContaining(code)]);
    }
    expect((await call('GET', 'summed')).status).toBe(404);
    const right = { 'x-amz-content-sha256': sha256('body'), 'Content-MD5': md5('body') };
    expect((await call('PUT', 'summed', 'body', right)).status).toBe(200);
    expect((await call('GET', 'summed')).text).toBe('body');
  });

  it('knows no checksums in trailers, and deletes many by Content-MD5 only', async () => {
    const trailer = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' };
    expect((await call('PUT', 'trailed', 'body', trailer)).status).toBe(501);
    expect((await call('POST', '?delete', '<Delete/>')).text).toContain('MissingContentMD5');
  });

  it('writes while a slow body is still on its way', async () => {
    const slow = beginPut('slow', 10, '12345');
    await vi.waitFor(() => expect(slow.bytesWritten).toBeGreaterThan(0));
    expect((await call('PUT', 'quick', 'x')).status).toBe(200);
    slow.end('67890');
    await once(slow, 'data');
    slow.destroy();
    expect((await call('GET', 'slow')).text).toBe('1234567890');
  });

  describe('of an upload in parts', () => {
    const PART = 'x'.repeat(5 * 1024 * 1024);
    const begin = async (key: string) => {
      const { text } = await call('POST', `${key}?uploads`);
      return /<UploadId>(.+?)<\/UploadId>/.exec(text)?.[1] ?? '';
    };
    const send = (key: string, upload: string, number: number, body: string) =>
      call('PUT', `${key}?partNumber=${number}&uploadId=${upload}`, body);
    const complete = (
      key: string,
      upload: string,
      parts: [number, string][],
      headers: Record<string, string> = {},
    ) => {
      const listed = parts.map(
        ([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
      );
      const body = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`;
      return call('POST', `${key}?uploadId=${upload}`, body, headers);
    };
    const told = (status: number, code: string) => ({ status, text: expect.stringContaining(code) });

    it('has no part too many, too small, changed or out of order', async () => {
      const upload = await begin('parted');
      const one = await send('parted', upload, 1, PART);
      const two = await send('parted', upload, 2, 'end');
      const small = await send('parted', upload, 3, 'more');
      expect(await complete('parted', upload, [[1, two.etag]])).toMatchObject(told(400, 'InvalidPart<'));
      expect(await complete('parted', upload, [[4, one.etag]])).toMatchObject(told(400, 'InvalidPart<'));
      const backwards = complete('parted', upload, [
        [2, two.etag],
        [1, one.etag],
      ]);
      expect(await backwards).toMatchObject(told(400, 'InvalidPartOrder'));
      const tooSmall = complete('parted', upload, [
        [2, two.etag],
        [3, small.etag],
      ]);
      expect(await tooSmall).toMatchObject(told(400, 'EntityTooSmall'));
      expect((await call('GET', 'parted')).status).toBe(404);
      const right = complete('parted', upload, [
        [1, one.etag],
        [2, two.etag],
      ]);
      expect((await right).status).toBe(200);
      expect((await call('GET', 'parted')).text).toBe(`${PART}end`);
    });

    it('knows it under its own key, and no longer than until its end', async () => {
      const upload = await begin('known');
      expect(await send('other', upload, 1, 'x')).toMatchObject(told(404, 'NoSuchUpload'));
      const { etag } = await send('known', upload, 1, 'x');
      expect((await complete('known', upload, [[1, etag]])).status).toBe(200);
      expect(await complete('known', upload, [[1, etag]])).toMatchObject(told(404, 'NoSuchUpload'));
      const given = await begin('known');
      expect((await call('DELETE', `known?uploadId=${given}`)).status).toBe(204);
      expect(await send('known', given, 1, 'y')).toMatchObject(told(404, 'NoSuchUpload'));
      expect(await call('DELETE', `known?uploadId=${given}`)).toMatchObject(told(404, 'NoSuchUpload'));
      expect((await call('GET', 'known')).text).toBe('x');
    });

    it('completes on condition as it puts, and keeps what it refused to complete', async () => {
      const upload = await begin('guarded');
      const { etag } = await send('guarded', upload, 1, 'mine');
      const completed = (headers: Record<string, string>) =>
        complete('guarded', upload, [[1, etag]], headers);
      expect(await completed({ 'If-Match': '"0"' })).toMatchObject(told(404, 'NoSuchKey'));
      const theirs = await call('PUT', 'guarded', 'theirs');
      expect(await completed({ 'If-None-Match': '*' })).toMatchObject(told(412, 'PreconditionFailed'));
      expect(await completed({ 'If-Match': '"0"' })).toMatchObject(told(412, 'PreconditionFailed'));
      expect((await call('GET', 'guarded')).text).toBe('theirs');
      expect((await completed({ 'If-Match': theirs.etag })).status).toBe(200);
      expect((await call('GET', 'guarded')).text).toBe('mine');
    });
  });
});
