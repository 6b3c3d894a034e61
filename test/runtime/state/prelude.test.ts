import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConversationStatus, mayFollow } from '../../../runtime/contracts/conversation-record.ts';
import { describeWith, redis } from '../../support/services/provided.ts';

const [clock, prelude] = ['clock.lua', 'prelude.lua'].map((file) =>
  readFileSync(new URL(`../../../runtime/state/redis/lua/${file}`, import.meta.url), 'utf8'),
);

describeWith('redis', 'prelude.lua', () => {
  let client: Redis;
  beforeAll(() => {
    client = new Redis(redis().url);
  });
  afterAll(() => client.disconnect());

  /** Runs Lua after the prelude, with the arguments that it takes itself before these. */
  const run = (lua: string, args: (string | number)[]) =>
    client.eval(`${clock}\n${prelude}\n${lua}`, 1, 'none', 0, '', ...args);

  const each = (expression: string) => `
    local out = {}
    for i = 3, #ARGV do out[#out + 1] = ${expression} end
    return out`;

  const instants = fc.array(fc.date({ min: new Date(0), max: new Date('2400-01-01'), noInvalidDate: true }), {
    maxLength: 200,
  });

  it('writes times as ISO 8601, as JavaScript does', async () => {
    await fc.assert(
      fc.asyncProperty(instants, async (dates) => {
        const written = await run(each('iso(tonumber(ARGV[i]))'), dates.map(Number));
        expect(written).toEqual(dates.map((date) => date.toISOString()));
      }),
    );
  });

  it('reads what it writes', async () => {
    await fc.assert(
      fc.asyncProperty(instants, async (dates) => {
        const read = await run(
          each('from_iso(ARGV[i])'),
          dates.map((date) => date.toISOString()),
        );
        expect(read).toEqual(dates.map(Number));
      }),
    );
  });

  it.each([
    '2024-02-29T23:59:59.999Z',
    '2024-03-01T00:00:00.000Z',
    '2100-02-28T12:00:00.001Z',
    '2000-12-31T00:00:00.000Z',
  ])('knows %s', async (text) => {
    expect(await run('return iso(from_iso(ARGV[3]))', [text])).toBe(text);
  });

  it.each(['', 'yesterday', '2024-02-29', '2024-02-29T23:59:59Z'])('refuses %j as a time', async (text) => {
    await expect(run('return from_iso(ARGV[3])', [text])).rejects.toThrow('not a time');
  });

  it('allows the same transitions as the contract', async () => {
    const from: ConversationStatus[] = ['preparing', 'ready', 'running', 'idle', 'draining'];
    const to = [...from, 'gone'] as const;
    const pairs = from.flatMap((one) => to.map((other) => [one, other] as const));

    const answers = await run(
      `local out = {}
       for i = 3, #ARGV, 2 do out[#out + 1] = may_follow(ARGV[i], ARGV[i + 1]) and 1 or 0 end
       return out`,
      pairs.flat(),
    );

    expect(answers).toEqual(pairs.map(([one, other]) => (mayFollow(one, other) ? 1 : 0)));
  });
});
