import { describe, expect, it } from 'vitest';
import { AnswerFailure } from '../../../runtime/http1/answer-failure.ts';
import { AnswerReader } from '../../../runtime/http1/answer-reader.ts';

const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nX-Kept:  a b \r\n';
const NEXT = 'HTTP/1.1 200 OK\r\n\r\n';

/** What a reader makes of these pieces, the connection ending after them; each is gone after its call. */
function read(pieces: readonly string[]) {
  const seen = { heads: 0, reason: '', headers: [] as readonly string[], body: '', ended: 0 };
  const reader = new AnswerReader('GET', {
    head: ({ reason, headers }) => Object.assign(seen, { heads: seen.heads + 1, reason, headers }),
    body: (bytes, last) => {
      seen.body += bytes.toString('latin1');
      seen.ended += last ? 1 : 0;
      return true;
    },
  });
  for (const piece of pieces) {
    if (reader.done) break;
    const bytes = Buffer.from(piece, 'latin1');
    reader.read(bytes);
    bytes.fill('?');
  }
  const kept = reader.done && reader.keepMs > 0;
  reader.end();
  return { ...seen, kept };
}

const ANSWERS: readonly [name: string, text: string, body: string, kept: boolean][] = [
  ['a length', `${OK}Content-Length: 11\r\n\r\nhello world`, 'hello world', true],
  ['a length of none', `${OK}Content-Length: 0\r\n\r\n`, '', true],
  [
    'chunks',
    `${OK}Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n1;x\r\n \r\n05\r\nworld\r\n0\r\nT: a\r\nU: b\r\n\r\n`,
    'hello world',
    true,
  ],
  ['its connection', `${OK}\r\nhello world`, 'hello world', false],
  ['hints before it', `${HINTS}${HINTS}${OK}Content-Length: 2\r\n\r\nab`, 'ab', true],
];

describe('an answer that ends by', () => {
  it.each(ANSWERS)('%s is the same in whatever pieces it comes', (_name, text, body, kept) => {
    const whole = read([text]);
    expect(whole).toMatchObject({ heads: 1, reason: 'OK', body, ended: 1, kept });
    expect(whole.headers.slice(0, 2)).toEqual(['X-Kept', 'a b']);
    expect(read([...text])).toEqual(whole);
    for (let at = 1; at < text.length; at += 1) {
      expect(read([text.slice(0, at), text.slice(at)])).toEqual(whole);
    }
  });

  it.each(ANSWERS.filter(([name]) => name !== 'its connection'))(
    '%s and has something after it leaves a connection that is not used again',
    (_name, text, body) => {
      expect(read([text + NEXT])).toMatchObject({ heads: 1, body, ended: 1, kept: false });
    },
  );

  it.each(ANSWERS.filter(([name]) => name !== 'its connection'))('%s is not whole before', (_name, text) => {
    for (let at = 0; at < text.length; at += 1) {
      expect(() => read([text.slice(0, at)])).toThrow(AnswerFailure);
    }
  });
});
