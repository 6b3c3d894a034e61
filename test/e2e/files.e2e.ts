import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RuntimeProcess } from '../support/runtime-process.ts';

/** What files can count on. */
export function filesWork(started: () => RuntimeProcess): void {
  let runtime: RuntimeProcess;
  beforeAll(() => {
    runtime = started();
  });
  const files = (conversation: string, path = '') => `/v1/conversations/${conversation}/files${path}`;

  describe('files', () => {
    it('go in and come out byte for byte, in folders that are made', async () => {
      const content = randomBytes(3_000_000);
      const put = await runtime.fetch(files('files', '/deep/er/data.bin'), { method: 'PUT', body: content });
      expect(put.status).toBe(204);
      const got = await runtime.fetch(files('files', '/deep/er/data.bin'));
      expect(got.headers.get('content-length')).toBe('3000000');
      expect(Buffer.from(await got.arrayBuffer())).toEqual(content);
      const list = (await (await runtime.fetch(files('files'))).json()) as {
        files: { path: string; size: number }[];
      };
      expect(list.files).toMatchObject([{ path: 'deep/er/data.bin', size: 3_000_000 }]);
    });

    it.each(["it's", 'new\nline', '"q"', 'ünïcode', '100%', 'a b', '-rf', '$(id)'])(
      'may be called %j',
      async (name) => {
        const path = files('names', `/${encodeURIComponent(name)}`);
        expect((await runtime.fetch(path, { method: 'PUT', body: name })).status).toBe(204);
        expect(await (await runtime.fetch(path)).text()).toBe(name);
        const { stdout } = await runtime.exec('names', ['cat', `./${name}`]);
        expect(stdout).toBe(name);
        expect((await runtime.fetch(path, { method: 'DELETE' })).status).toBe(204);
        expect((await runtime.fetch(path)).status).toBe(404);
      },
    );

    it.each(['/..%2f..%2fetc%2fpasswd', '/%2fetc%2fpasswd', '/a%00b', '/a//b', '/%ff'])(
      'are not at %s',
      async (path) => {
        await runtime.exec('paths', ['true']);
        const answer = await runtime.fetch(files('paths', path));
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ code: 'INVALID_PATH' });
      },
    );

    it('behind a link that leads out are refused, both ways', async () => {
      await runtime.exec('links', ['bash', '-c', 'ln -s /etc/passwd p; ln -s /etc d']);
      for (const path of ['/p', '/d/passwd']) {
        expect(await (await runtime.fetch(files('links', path))).json()).toMatchObject({
          code: 'INVALID_PATH',
        });
      }
      const put = await runtime.fetch(files('links', '/d/new'), { method: 'PUT', body: 'x' });
      expect(await put.json()).toMatchObject({ code: 'INVALID_PATH' });
    });

    it('may have any name, time and size, and no call costs the conversation its life', async () => {
      const before = await runtime.exec('odd', [
        'bash',
        '-c',
        'touch changes; touch -d @300000000000 future; truncate -s 4E huge; echo $$',
      ]);
      expect(before.exit_code).toBe(0);
      expect((await runtime.fetch(files('odd', '/changes'))).status).toBe(200);
      // Memory holds a file of 4 EiB, a disk may not: then it is an empty one.
      expect([200, 400]).toContain((await runtime.fetch(files('odd', '/huge'))).status);
      expect((await runtime.fetch(files('odd', '/changes'), { method: 'DELETE' })).status).toBe(204);
      await runtime.exec('odd', ['rm', 'huge']);
      const list = (await (await runtime.fetch(files('odd'))).json()) as { files: { path: string }[] };
      expect(list.files.map(({ path }) => path)).toEqual(['future']);
    });

    it('are not found where there are none, and reading makes no conversation', async () => {
      expect(await (await runtime.fetch(files('first', '/nothing'))).json()).toMatchObject({
        code: 'FILE_NOT_FOUND',
      });
      expect(await (await runtime.fetch(files('never', '/x'))).json()).toMatchObject({
        code: 'CONVERSATION_NOT_FOUND',
      });
      expect((await runtime.fetch('/v1/conversations/never')).status).toBe(404);
    });
  });
}
