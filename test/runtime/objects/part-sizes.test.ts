import { expect, it } from 'vitest';
import { MOST_PARTS, partBytes } from '../../../runtime/objects/s3/part-sizes.ts';

const GIB = 1024 ** 3;
const numbers = Array.from({ length: MOST_PARTS }, (_, n) => n + 1);

it('parts hold several TiB, and none is smaller or larger than S3 takes it', () => {
  expect(numbers.reduce((sum, number) => sum + partBytes(number), 0)).toBeGreaterThan(7 * 1024 * GIB);
  expect(Math.min(...numbers.map(partBytes))).toBeGreaterThanOrEqual(5 * 1024 ** 2);
  expect(Math.max(...numbers.map(partBytes))).toBeLessThanOrEqual(5 * GIB);
});

it('parts grow with what has been sent, so that little of it is held', () => {
  let sent = 0;
  for (const number of numbers) {
    expect(partBytes(number)).toBeLessThanOrEqual(Math.max(8 * 1024 ** 2, sent / 500));
    sent += partBytes(number);
  }
});
