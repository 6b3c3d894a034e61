import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplayGuard } from '../../../../runtime/egress/admin/replay-guard.ts';
import { AdminSeal } from '../../../../runtime/egress/admin/sealed-message.ts';

const seal = new AdminSeal('key of this test');
const request = { counter: 7, method: 'PUT', path: '/admin/state', body: { secret: 'canary' } };

describe('a sealed message', () => {
  it('is opened by who has the key, and shows nothing to others', () => {
    const sealed = seal.sealRequest(request);
    expect(seal.openRequest(sealed)).toEqual(request);
    expect(sealed.toString('latin1')).not.toContain('canary');
    expect(new AdminSeal('another key').openRequest(sealed)).toBeUndefined();
  });

  it('is never the same twice', () => {
    expect(seal.sealRequest(request)).not.toEqual(seal.sealRequest(request));
  });

  it('does not pass as an answer when it is a request, nor the other way round', () => {
    expect(seal.openAnswer(seal.sealRequest({ ...request, status: 200 } as typeof request))).toBeUndefined();
    expect(seal.openRequest(seal.sealAnswer({ ...request, status: 200 }))).toBeUndefined();
    expect(seal.openAnswer(seal.sealAnswer({ ...request, status: 200 }))).toEqual({
      ...request,
      status: 200,
    });
  });

  it('does not open when a bit of it is changed, or a part missing', () => {
    const sealed = seal.sealRequest(request);
    fc.assert(
      fc.property(fc.nat(sealed.length * 8 - 1), (bit) => {
        const changed = Buffer.from(sealed);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(seal.openRequest(changed)).toBeUndefined();
        expect(seal.openRequest(sealed.subarray(0, bit >> 3))).toBeUndefined();
      }),
    );
  });

  it.each([
    { counter: -1 },
    { counter: 1.5 },
    { counter: 2 ** 53 },
    { counter: '7' },
    { path: 7 },
    { method: null },
  ])('does not open as one with %j', (wrong) => {
    expect(seal.openRequest(seal.sealRequest({ ...request, ...wrong } as typeof request))).toBeUndefined();
  });
});

describe('a proof', () => {
  it('is good for one method, path and counter', () => {
    const proof = seal.prove('GET', '/admin/stats', 41);
    expect(seal.proven('GET', '/admin/stats', proof)).toBe(41);
    expect(seal.proven('GET', '/admin/stats', proof.replace('41.', '42.'))).toBeUndefined();
    expect(seal.proven('GET', '/admin/stats', proof.replace('41.', '041.'))).toBeUndefined();
    expect(seal.proven('GET', '/admin/stats2', proof)).toBeUndefined();
    expect(seal.proven('PUT', '/admin/stats', proof)).toBeUndefined();
    for (const wrong of ['', '41', '41.', '.', 'x.y', `9007199254740993.${'0'.repeat(64)}`]) {
      expect(seal.proven('GET', '/admin/stats', wrong)).toBeUndefined();
    }
  });
});

describe('a guard against replays', () => {
  it('takes only what is above the last of its subject, and above its floor', () => {
    const guard = new ReplayGuard(100);
    expect(guard.take('a', 100)).toBe(100);
    expect(guard.take('a', 105)).toBeUndefined();
    expect(guard.take('a', 105)).toBe(105);
    expect(guard.take('a', 104)).toBe(105);
    expect(guard.take('b', 101)).toBeUndefined();
  });

  it('takes nothing again that it has forgotten', () => {
    const guard = new ReplayGuard(0);
    for (let index = 1; index <= 10_001; index += 1) guard.take(`subject ${index}`, index);
    expect(guard.take('subject 1', 1)).toBe(1);
    expect(guard.take('subject 2', 2)).toBe(2);
    expect(guard.take('subject 1', 2)).toBeUndefined();
  });
});
