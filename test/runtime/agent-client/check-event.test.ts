import { describe, expect, it } from 'vitest';
import { checkEvent, EVENT_BYTES } from '../../../runtime/agent-client/check-event.ts';

const check = (json: string) => checkEvent(Buffer.from(json));

function textOf(bytes: Buffer): string {
  const checked = checkEvent(bytes);
  return checked === 'gap' ? checked : `{${checked.fields}`;
}

const fieldsOf = (json: string) => JSON.parse(textOf(Buffer.from(json)));

describe('an event that an agent sent', () => {
  it('keeps its text as it came', () => {
    const json = '{"type":"text_delta",  "text":"\\u00e9 \\ud83d", "extra": 1}';
    expect(check(json)).toMatchObject({ type: 'text_delta', end: undefined });
    expect(textOf(Buffer.from(json))).toBe(json);
  });

  it.each([
    ['one space before it', ' {"type":"system"}'],
    ['more space around it', ' \t {"type":"system"} \r'],
    ['a mark of byte order', '\ufeff{"type":"system"}'],
  ])('comes with %s, which is not passed on', (_, data) => {
    expect(textOf(Buffer.from(data))).toBe('{"type":"system"}');
  });

  it('is only what stands between two places', () => {
    const bytes = Buffer.from('data: {"type":"system"}\n\n');
    expect(checkEvent(bytes, 5, bytes.length - 2)).toMatchObject({ fields: Buffer.from('"type":"system"}') });
  });

  it('has no bytes that are no text', () => {
    const head = Buffer.from('{"type":"text_delta","text":"a');
    const bytes = Buffer.concat([head, Buffer.from([0xff, 0xc3]), Buffer.from('"}')]);
    expect(textOf(bytes)).toBe('{"type":"text_delta","text":"a\ufffd\ufffd"}');
  });

  it('has no line end for clients within it', () => {
    expect(textOf(Buffer.from('{"type":\r"system"}'))).toBe('{"type":"system"}');
  });

  it('is cut when it is short and would be long as we write it', () => {
    const json = `{"type":"system","seq":1,"numbers":[${'1e20,'.repeat(11_000)}1]}`;
    expect(json.length).toBeLessThan(EVENT_BYTES);
    const text = textOf(Buffer.from(json));
    expect(text.length).toBeLessThanOrEqual(EVENT_BYTES);
    expect(JSON.parse(text)).toMatchObject({ type: 'system', truncated: true });
  });

  it('is known as the end when it is one', () => {
    expect(check('{"type":"done","subtype":"success"}')).toMatchObject({ end: { subtype: 'success' } });
    expect(check('{"type":"error","error_type":"cancelled","message":"","recoverable":true}')).toMatchObject({
      end: { error_type: 'cancelled' },
    });
  });

  it('may be a gap, which the numbers tell', () => {
    expect(check('{"type":"gap","from":1,"to":2}')).toBe('gap');
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
    expect(() => check(json)).toThrow(/not valid/);
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
    [
      'several texts that grow as JSON',
      {
        type: 'system',
        ...Object.fromEntries(Array.from({ length: 15 }, (_, i) => [i, '\u0001'.repeat(9000)])),
      },
    ],
    ['a long name', { type: 'system', ['n'.repeat(100_000)]: 1 }],
  ])('is cut to what fits, and says so: %s', (_, event) => {
    const cut = check(JSON.stringify(event));
    if (cut === 'gap') throw new Error('no gap was sent');
    expect(cut.fields.length).toBeLessThanOrEqual(EVENT_BYTES);
    expect(JSON.parse(`{${cut.fields}`)).toMatchObject({ type: event.type, truncated: true });
  });
});
