import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { checked, collect, OtherContent, WatchedContent } from '../../../runtime/saving/checked-content.ts';
import { sha256 } from './fake-agent.ts';

const expected = { sha256: sha256('onetwothree'), size: 11 };
const of = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('checked content', () => {
  it('is passed on whole when it is what is expected', async () => {
    expect(String(await collect(checked(of('one', 'two', 'three'), expected)))).toBe('onetwothree');
    expect(String(await collect(checked(of(), { sha256: sha256(''), size: 0 })))).toBe('');
  });

  it.each([
    ['another', of('one', 'two', 'thre3')],
    ['another from the start', of('0ne', 'two', 'three')],
    ['shorter', of('one', 'two', 'thre')],
    ['longer', of('one', 'two', 'three', '!')],
    ['longer by far', of('one', 'two', 'three'.repeat(1000))],
    ['empty', of()],
  ])('keeps its last bytes to itself when it is %s', async (_what, content) => {
    const passed: Buffer[] = [];
    const reading = async () => {
      for await (const chunk of checked(content, expected)) passed.push(chunk);
    };
    await expect(reading()).rejects.toThrow(OtherContent);
    expect(Buffer.concat(passed).length).toBeLessThan(expected.size);
  });

  it('may be followed by more, which is not asked for', async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (const chunk of ['one', 'two', 'threefour', 'five', 'six']) {
        asked += 1;
        yield Buffer.from(chunk);
      }
    }
    expect(String(await collect(checked(endless(), expected, true)))).toBe('onetwothree');
    expect(asked).toBe(3);
  });
});

describe('watched content', () => {
  it('remembers why it failed, and that it did not end', async () => {
    const watched = new WatchedContent(checked(of('one'), expected));
    await expect(buffer(watched.stream)).rejects.toThrow();
    expect(watched.failure).toBeInstanceOf(OtherContent);
    expect(watched.complete).toBe(false);
  });

  it('has not failed when its reader gives up', async () => {
    const watched = new WatchedContent(of('one', 'two', 'three'));
    const reading = async () => {
      for await (const _chunk of watched.stream) watched.stream.destroy(new Error('enough'));
    };
    await expect(reading()).rejects.toThrow('enough');
    expect(watched.failure).toBeUndefined();
    expect(watched.complete).toBe(false);
  });

  it('is complete once all was taken', async () => {
    const watched = new WatchedContent(of('one', 'two'));
    expect(String(await buffer(watched.stream))).toBe('onetwo');
    expect(watched.complete).toBe(true);
  });
});
