import { describe, expect, it } from 'vitest';
import { parseWorkspaceId } from '../../../runtime/contracts/ids.ts';

describe('a workspace’s id', () => {
  it.each(['a', '7', 'my-workspace', 'a'.repeat(40), '0123456789a', '0123456789abc', 'abcdefabcdeg'])(
    'may be %s',
    (id) => expect(parseWorkspaceId(id)).toBe(id),
  );

  it.each(['', '-a', 'a-', 'A', 'a_b', 'a.b', 'a b', 'a/b', '../a', 'a\n', 'ä', 'a'.repeat(41)])(
    'may not be %j',
    (id) => expect(parseWorkspaceId(id)).toBeUndefined(),
  );

  it('is never 12 hex digits: its container would be named as a conversation’s', () => {
    expect(parseWorkspaceId('0123456789ab')).toBeUndefined();
  });
});
