import { describe, expect, it } from 'vitest';
import { checkEvent, EVENT_BYTES } from '../../../runtime/agent-client/check-event.ts';

const fieldsOf = (json: string) => {
  const checked = checkEvent(json);
  return checked === 'gap' ? checked : JSON.parse(`{${checked.fields}`);
};

describe('an event that an agent sent', () => {
  it('keeps its text as it came', () => {
    const json = '{"type":"text_delta",  "text":"\\u00e9 \\ud83d", "extra": 1}';
    expect(checkEvent(json)).toMatchObject({ type: 'text_delta', fields: json.slice(1), end: undefined });
  });

  it('is known as the end when it is one', () => {
    expect(checkEvent('{"type":"done","subtype":"success"}')).toMatchObject({ end: { subtype: 'success' } });
    expect(
      checkEvent('{"type":"error","error_type":"cancelled","message":"","recoverable":true}'),
    ).toMatchObject({
      end: { error_type: 'cancelled' },
    });
  });

  it('may be a gap, which the numbers tell', () => {
    expect(checkEvent('{"type":"gap","from":1,"to":2}')).toBe('gap');
  });

  it.each(['seq', 'timestamp', 'execution_id'])('can not set the field %s, which is ours', (name) => {
    expect(fieldsOf(`{"type":"system","${name}":"mine","b":2}`)).toEqual({ type: 'system', b: 2 });
  });

  it.each([
    '',
    'null',
    '[]',
    '"text"',
    '{',
    '{}',
    '{"type":7}',
    '{"type":"toString"}',
    '{"type":"container"}',
    '{"type":"text_delta"}',
    '{"type":"text_delta","text":7}',
    '{"type":"tool_result","id":"a","content":"","is_error":"no"}',
    '{"type":"error","error_type":"other","message":"","recoverable":true}',
    '{"type":"done"}',
  ])('is refused when it is none: %s', (json) => {
    expect(() => checkEvent(json)).toThrow(/not valid/);
  });

  it.each([
    ['a long text', { type: 'text_delta', text: 'x'.repeat(200_000) }],
    ['a text that grows as JSON', { type: 'text_delta', text: '\u0001'.repeat(100_000) }],
    [
      'deep content',
      { type: 'tool_result', id: 'a', is_error: false, content: [{ text: 'é'.repeat(100_000) }] },
    ],
    [
      'many fields',
      {
        type: 'system',
        ...Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`field-${i}`, 'x'.repeat(50)])),
      },
    ],
    ['a long name', { type: 'system', ['n'.repeat(100_000)]: 1 }],
  ])('is cut to what fits, and says so: %s', (_, event) => {
    const cut = checkEvent(JSON.stringify(event));
    if (cut === 'gap') throw new Error('no gap was sent');
    expect(Buffer.byteLength(cut.fields)).toBeLessThanOrEqual(EVENT_BYTES);
    expect(JSON.parse(`{${cut.fields}`)).toMatchObject({ type: event.type, truncated: true });
  });
});
