import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ClosingStack } from '../../../runtime/lifecycle/closing-stack.ts';

const log = pino({ level: 'silent' });

describe('the closing stack', () => {
  it('closes in the reverse order of opening, each after the one before is closed', async () => {
    const order: string[] = [];
    const stack = new ClosingStack();
    stack.add('first', () => order.push('first'));
    stack.add('second', async () => {
      await Promise.resolve();
      order.push('second');
    });
    await stack.close(log);
    expect(order).toEqual(['second', 'first']);
  });

  it('goes on when one fails', async () => {
    const order: string[] = [];
    const stack = new ClosingStack();
    stack.add('first', () => order.push('first'));
    stack.add('broken', () => {
      throw new Error('no');
    });
    await stack.close(log);
    expect(order).toEqual(['first']);
  });

  it('closes once, however often it is asked', async () => {
    let times = 0;
    const stack = new ClosingStack();
    stack.add('one', () => {
      times += 1;
    });
    await Promise.all([stack.close(log), stack.close(log)]);
    expect(times).toBe(1);
  });
});
