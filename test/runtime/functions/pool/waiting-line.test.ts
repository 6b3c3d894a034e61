import { describe, expect, it } from 'vitest';
import { BerthError } from '../../../../runtime/contracts/errors.ts';
import { WaitingLine } from '../../../../runtime/functions/pool/waiting-line.ts';

const never = new AbortController().signal;
const late = () => new BerthError('ACQUIRE_TIMEOUT', 'too late');

describe('a waiting line', () => {
  it('serves who came first', async () => {
    const line = new WaitingLine<string>();
    const got: string[] = [];
    const waits = ['one', 'two', 'three'].map((who) =>
      line.wait(10, never, late).then((what) => got.push(`${who}: ${what}`)),
    );

    for (const what of ['a', 'b', 'c']) expect(line.give(what)).toBe(true);
    await Promise.all(waits);

    expect(got).toEqual(['one: a', 'two: b', 'three: c']);
    expect(line.give('d')).toBe(false);
  });

  it('gives nothing to who has left, by time or by its own word', async () => {
    const line = new WaitingLine<string>();
    const gone = new AbortController();
    const tooLate = line.wait(0.01, never, late);
    const left = line.wait(10, gone.signal, late);
    const stays = line.wait(10, never, late);

    await expect(tooLate).rejects.toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(line.length).toBe(1);
    line.give('a');

    expect(await stays).toBe('a');
  });

  it('refuses at once who comes with a signal that is over', async () => {
    const line = new WaitingLine<string>();
    await expect(line.wait(10, AbortSignal.abort(new Error('gone')), late)).rejects.toThrow('gone');
    expect(line.length).toBe(0);
  });

  it('tells the first, or all, why they get none', async () => {
    const line = new WaitingLine<string>();
    const waits = [1, 2, 3].map(() => line.wait(10, never, late).catch((error: Error) => error.message));

    line.refuseFirst(new Error('the first'));
    expect(line.length).toBe(2);
    line.refuseAll(new Error('all'));

    expect(await Promise.all(waits)).toEqual(['the first', 'all', 'all']);
    expect(line.refuseFirst(new Error('nobody'))).toBe(false);
  });
});
