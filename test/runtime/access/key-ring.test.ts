import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiKey, generateApiKey, hashApiKey, parseApiKeys } from '../../../runtime/access/api-key.ts';
import { KeyFileWatch, KeyRing } from '../../../runtime/access/key-ring.ts';
import { parseTenantId } from '../../../runtime/contracts/ids.ts';
import { must } from '../../support/must.ts';

const log = pino({ level: 'silent' });

function entry(key: string, fields: Partial<ApiKey> = {}): ApiKey {
  return { name: 'k', tenant: must(parseTenantId('acme')), sha256: hashApiKey(key), scope: 'use', ...fields };
}

describe('a ring of keys', () => {
  it('finds a key by its hash only', () => {
    const ring = new KeyRing([entry('one'), entry('two', { name: 'second' })]);
    expect(ring.find('two')?.name).toBe('second');
    expect(ring.find('three')).toBeUndefined();
    expect(ring.find(hashApiKey('one'))).toBeUndefined();
  });

  it('ends what is done with a key that is taken back, and nothing else', () => {
    const [kept, taken] = [entry('kept'), entry('taken')];
    const ring = new KeyRing([kept, taken]);
    const revoked: string[] = [];
    ring.use(kept, () => revoked.push('kept'));
    ring.use(taken, () => revoked.push('taken'));
    ring.use(taken, () => revoked.push('over'))[Symbol.dispose]();
    ring.replace([entry('kept'), entry('new')]);
    ring.replace([entry('kept')]);
    expect(revoked).toEqual(['taken']);
  });

  it('treats a key that moved to another tenant or scope as taken back', () => {
    const ring = new KeyRing([entry('k', { scope: 'admin' })]);
    let revoked = false;
    ring.use(entry('k', { scope: 'admin' }), () => {
      revoked = true;
    });
    ring.replace([entry('k', { scope: 'use' })]);
    expect(revoked).toBe(true);
  });
});

describe('a file of keys', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-keys-'));
    file = join(folder, 'keys.json');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (keys: unknown) =>
    writeFileSync(file, typeof keys === 'string' ? keys : JSON.stringify(keys));

  it('is read again when it changes', async () => {
    write([entry('old')]);
    const ring = new KeyRing([entry('old')]);
    using _watch = new KeyFileWatch(file, ring, log);
    write([entry('newer')]);
    await vi.waitFor(() => expect(ring.find('newer')).toBeDefined(), 5000);
    expect(ring.find('old')).toBeUndefined();
  });

  it('leaves no key valid while it can not be read, and recovers when it is mended', async () => {
    write([entry('old')]);
    const ring = new KeyRing([entry('old')]);
    using _watch = new KeyFileWatch(file, ring, log);
    write('[{"name": "half a fi');
    await vi.waitFor(() => expect(ring.find('old')).toBeUndefined(), 5000);
    write([entry('old'), entry('more')]);
    await vi.waitFor(() => expect(ring.find('old')).toBeDefined(), 5000);
  });
});

describe('parseApiKeys', () => {
  it('tells every problem with its place', () => {
    const bad = JSON.stringify([{ name: '', tenant: 'A', sha256: 'x', scope: 'root', extra: 1 }]);
    expect(() => parseApiKeys(bad)).toThrow(/0\.tenant/);
    expect(() => parseApiKeys(bad)).toThrow(/0\.sha256: wants 64 hex digits/);
  });

  it('takes limits', () => {
    const keys = parseApiKeys(JSON.stringify([{ ...entry(generateApiKey()), limits: { conversations: 3 } }]));
    expect(keys[0]?.limits?.conversations).toBe(3);
  });
});
