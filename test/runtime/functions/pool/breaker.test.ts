import { describe, expect, it } from 'vitest';
import { Breaker, type Pass } from '../../../../runtime/functions/pool/breaker.ts';

function letThrough(breaker: Breaker, now: number): Pass {
  const verdict = breaker.ask(now);
  if (verdict.kind !== 'pass') throw new Error(`it is open for ${verdict.retryAfterSeconds} s`);
  return verdict.pass;
}

function failTimes(breaker: Breaker, times: number, now: number): void {
  for (let n = 0; n < times; n += 1) letThrough(breaker, now).failed(now);
}

describe('a breaker', () => {
  it('opens at the fifth failure within 30 s, and says for how long', () => {
    const breaker = new Breaker();
    failTimes(breaker, 4, 0);
    expect(breaker.ask(29_999).kind).toBe('pass');

    letThrough(breaker, 29_999).failed(29_999);

    expect(breaker.ask(30_000)).toEqual({ kind: 'open', retryAfterSeconds: 30 });
    expect(breaker.isOpen(30_000)).toBe(true);
  });

  it('forgets failures that are older', () => {
    const breaker = new Breaker();
    failTimes(breaker, 4, 0);

    letThrough(breaker, 30_001).failed(30_001);

    expect(breaker.ask(30_001).kind).toBe('pass');
  });

  it('forgets them at a success', () => {
    const breaker = new Breaker();
    failTimes(breaker, 4, 0);
    letThrough(breaker, 1).succeeded();

    failTimes(breaker, 4, 2);

    expect(breaker.ask(3).kind).toBe('pass');
  });

  it('lets one trial through after 30 s, and no other meanwhile', () => {
    const breaker = new Breaker();
    failTimes(breaker, 5, 0);
    expect(breaker.ask(29_999).kind).toBe('open');

    const trial = letThrough(breaker, 30_000);
    expect(breaker.ask(30_001)).toEqual({ kind: 'open', retryAfterSeconds: 1 });
    trial.succeeded();

    failTimes(breaker, 4, 30_002);
    expect(breaker.ask(30_003).kind).toBe('pass');
  });

  it('opens anew when the trial fails, and lets another through when it says nothing', () => {
    const breaker = new Breaker();
    failTimes(breaker, 5, 0);
    letThrough(breaker, 30_000).nothing();
    letThrough(breaker, 30_000).failed(31_000);

    expect(breaker.ask(60_999).kind).toBe('open');
    expect(breaker.ask(61_000).kind).toBe('pass');
  });

  it('is not closed by a call that began before it opened', () => {
    const breaker = new Breaker();
    const slow = letThrough(breaker, 0);
    failTimes(breaker, 5, 0);

    slow.succeeded();

    expect(breaker.ask(1).kind).toBe('open');
  });

  it('counts what a call says once', () => {
    const breaker = new Breaker();
    const pass = letThrough(breaker, 0);
    for (let n = 0; n < 5; n += 1) pass.failed(0);

    expect(breaker.ask(0).kind).toBe('pass');
    expect(breaker.isQuiet(0)).toBe(false);
    expect(breaker.isQuiet(30_000)).toBe(true);
  });
});
