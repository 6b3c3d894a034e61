import { describe, expect, it } from 'vitest';
import { turns } from '../../../../runtime/egress/proxy/turns.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("the process's time", () => {
  it('is there for one owner when another has spent its share, and again in the next turn', async () => {
    const [one, other] = [{}, {}];
    turns.spend(one, 1000);
    expect(turns.hasTime(one)).toBe(false);
    expect(turns.hasTime(other)).toBe(true);
    await nextTurn();
    expect(turns.hasTime(one)).toBe(true);
  });

  it('goes round: a long line of one owner does not keep another waiting', async () => {
    const [one, other] = [{}, {}];
    const done: string[] = [];
    const work = (owner: object, name: string) => ({
      goOn: () => {
        done.push(name);
        turns.spend(owner, 1000);
      },
    });
    for (const name of ['1a', '1b', '1c']) turns.wait(one, work(one, name));
    turns.wait(other, work(other, '2a'));
    while (done.length < 4) await nextTurn();
    expect(done).toEqual(['1a', '2a', '1b', '1c']);
  });
});
