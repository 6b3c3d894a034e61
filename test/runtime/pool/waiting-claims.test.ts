import { describe, expect, it } from 'vitest';
import { WaitingClaims } from '../../../runtime/pool/waiting-claims.ts';

/** A pool of names, and who asked it. */
class Pool {
  readonly members: string[] = [];
  readonly asked: string[] = [];

  ask = (name: string) => async () => {
    this.asked.push(name);
    return this.members.shift();
  };
}

const never = new Promise<void>(() => {});

describe('claims that wait', () => {
  it('get members as they come, first come, first served', async () => {
    const [waiting, pool] = [new WaitingClaims(), new Pool()];
    const claims = ['a', 'b', 'c'].map((name) => waiting.wait(pool.ask(name), never));
    for (const member of ['one', 'two', 'three']) {
      pool.members.push(member);
      waiting.look();
    }
    expect(await Promise.all(claims)).toEqual(['one', 'two', 'three']);
  });

  it('cost one question at a time, however many they are', async () => {
    const [waiting, pool] = [new WaitingClaims(), new Pool()];
    const made = Promise.withResolvers<void>();
    const claims = Array.from({ length: 100 }, (_, i) => waiting.wait(pool.ask(`${i}`), made.promise));
    await expect.poll(() => pool.asked.length).toBeGreaterThan(1);
    expect(new Set(pool.asked)).toEqual(new Set(['0']));
    expect(pool.asked.length).toBeLessThan(20);
    made.resolve();
    expect(await Promise.all(claims)).toEqual(claims.map(() => undefined));
  });

  it('find what came without a word', async () => {
    const [waiting, pool] = [new WaitingClaims(), new Pool()];
    const claim = waiting.wait(pool.ask('a'), never);
    pool.members.push('one');
    expect(await claim).toBe('one');
  });

  it.each(['resolves', 'rejects'])('end with what is made for them, when that %s', async (how) => {
    const [waiting, pool] = [new WaitingClaims(), new Pool()];
    const made = how === 'resolves' ? Promise.resolve() : Promise.reject(new Error('not made'));
    expect(await waiting.wait(pool.ask('a'), made)).toBeUndefined();
    pool.members.push('one');
    expect(await waiting.wait(pool.ask('b'), never)).toBe('one');
  });

  it('keep what they get while theirs is being finished', async () => {
    const waiting = new WaitingClaims();
    const [answer, made] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    const asking = Promise.withResolvers<void>();
    const claim = waiting.wait(() => {
      asking.resolve();
      return answer.promise;
    }, made.promise);
    await asking.promise;
    made.resolve();
    await made.promise;
    answer.resolve('one');
    expect(await claim).toBe('one');
  });

  it('fail alone', async () => {
    const [waiting, pool] = [new WaitingClaims(), new Pool()];
    const failing = waiting.wait(() => Promise.reject(new Error('lost')), never);
    const other = waiting.wait(pool.ask('b'), never);
    pool.members.push('one');
    await expect(failing).rejects.toThrow('lost');
    expect(await other).toBe('one');
  });
});
