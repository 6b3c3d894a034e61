import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../runtime/cli/command-spec.ts';
import { findService } from '../../../runtime/cli/connection/find-service.ts';

const FILES: Record<string, string> = {
  '.berth/dev-key': 'berth_dev\n',
  '/data/dev-key': 'berth_data\n',
  'key.txt': 'berth_file\n',
  'two.txt': 'a\nb\n',
};
const find = (env: Record<string, string> = {}, options: { url?: string; 'key-file'?: string } = {}) =>
  findService({ url: undefined, 'key-file': undefined, ...options }, env, (path) => FILES[path]);

describe('the service that is meant', () => {
  it('is the one of this machine, with the development key of this folder', () => {
    expect(find()).toMatchObject({ url: 'http://127.0.0.1:7420', key: 'berth_dev', local: true });
    expect(find({ PORT: '8000', BERTH_DATA_DIR: '/data' })).toMatchObject({
      url: 'http://127.0.0.1:8000',
      key: 'berth_data',
    });
  });

  it('is what the environment says, and before that what the command line says', () => {
    const env = { BERTH_URL: 'https://berth.example', BERTH_API_KEY: 'berth_env', BERTH_KEY: 'berth_old' };
    expect(find(env)).toMatchObject({ url: 'https://berth.example', key: 'berth_env', local: false });
    expect(find({ BERTH_KEY: 'berth_old' }).key).toBe('berth_old');
    expect(find(env, { url: 'http://[::1]:1', 'key-file': 'key.txt' })).toMatchObject({
      url: 'http://[::1]:1',
      key: 'berth_file',
      local: true,
    });
    expect(find({ BERTH_URL: '', BERTH_API_KEY: '', PORT: '' })).toEqual(find());
  });

  it.each(['http://localhost:1', 'http://127.9.9.9', 'http://[::1]', 'http://a.localhost', 'http://127.1'])(
    'is of this machine at %s',
    (url) => {
      expect(find({ BERTH_URL: url })).toMatchObject({ local: true, key: 'berth_dev' });
    },
  );

  it.each([
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'https://notlocalhost',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://[::ffff:10.0.0.1]',
    'http://128.0.0.1',
  ])('never gets the development key elsewhere: %s', (url) => {
    expect(find({ BERTH_URL: url })).toMatchObject({ local: false, key: undefined });
  });

  it.each([
    [{ BERTH_URL: 'berth.example' }, {}, 'BERTH_URL wants an address'],
    [{ BERTH_URL: 'http://user:secret@127.0.0.1' }, {}, 'BERTH_URL wants an address'],
    [{ PORT: '1@berth.example' }, {}, 'PORT wants an address'],
    [{}, { url: 'ftp://127.0.0.1' }, '--url wants an address'],
    [{}, { 'key-file': 'none' }, '--key-file: there is no such file'],
    [{}, { 'key-file': 'two.txt' }, '--key-file wants a file with an API key, and no more'],
    [{ BERTH_API_KEY: 'with space' }, {}, 'BERTH_API_KEY holds no API key'],
  ])('%j and %j are refused without a word of what they hold', (env, options, message) => {
    const found = () => find(env as Record<string, string>, options);
    expect(found).toThrow(UsageError);
    expect(found).toThrow(message);
    expect(found).not.toThrow(/secret|with space|example/);
  });
});
