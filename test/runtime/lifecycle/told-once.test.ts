import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import { toldOnce } from '../../../runtime/lifecycle/told-once.ts';

describe('a turn that meets something away', () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const away = new BerthError('STORE_UNAVAILABLE', 'the database does not answer');
  let outcome: Error | number = away;
  const turn = toldOnce(log, 'it is away', async () => {
    if (typeof outcome !== 'number') throw outcome;
    return outcome;
  });

  it('tells it once, and again after it was back', async () => {
    await turn();
    await turn();
    expect(lines).toEqual(['it is away']);
    outcome = 7;
    expect(await turn()).toBe(7);
    outcome = away;
    expect(await turn()).toBeUndefined();
    expect(lines).toEqual(['it is away', 'it is away']);
  });

  it('tells it again while it lasts, where that is asked for', async () => {
    let now = 0;
    const said: string[] = [];
    const other = pino({ base: null }, { write: (line) => void said.push(JSON.parse(line).msg) });
    const again = toldOnce(other, 'it is away', () => Promise.reject(away), { ms: 30, now: () => now });
    for (now = 0; now < 90; now += 10) await again();
    expect(said).toHaveLength(3);
  });

  it('leaves any other failure to its loop', async () => {
    outcome = new Error('a bug');
    await expect(turn()).rejects.toThrow('a bug');
  });
});
