import { describe, expect, it } from 'vitest';
import { baseAddress, path } from '../../../../runtime/client/wire/address.ts';

const FILE = '/v1/conversations/{id}/files/{path}';

describe('an address', () => {
  it('has its parameters escaped, and leaves out what is not asked', () => {
    expect(path(FILE, { id: 'a b', path: 'x/ä?#%2e.txt' }, { durable: 'true', limit: undefined })).toBe(
      '/v1/conversations/a%20b/files/x/%C3%A4%3F%23%252e.txt?durable=true',
    );
  });

  it.each(['', '.', '..', '../../other/files/x', 'a//b', '/a', 'a/', 'a/./b', 'a/..', '\ud800'])(
    'leads nowhere else: no path "%s"',
    (bad) => {
      expect(() => path(FILE, { id: 'c', path: bad })).toThrow('INVALID_PATH');
    },
  );

  it.each(['', '.', '..'])('leads nowhere else: no id "%s"', (bad) => {
    expect(() => path('/v1/conversations/{id}', { id: bad })).toThrow('INVALID_ID');
  });

  it('keeps a path of the service, without its last slash', () => {
    expect(baseAddress('https://example.com/berth/')).toBe('https://example.com/berth');
    expect(baseAddress('http://127.0.0.1:7420')).toBe('http://127.0.0.1:7420');
  });

  it.each(['', 'example.com', 'ftp://example.com', 'http://a:b@example.com', 'http://example.com/?a=1'])(
    'is refused where it is none of a service: "%s"',
    (url) => {
      expect(() => baseAddress(url)).toThrow(/INVALID_REQUEST: `url` wants/);
    },
  );
});
