import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FunctionRegistry } from '../../../../runtime/functions/definitions/function-registry.ts';
import type { FunctionWords } from '../../../../runtime/functions/definitions/function-words.ts';
import { VERSION } from '../../../../runtime/version.ts';
import { type DatabaseUnderTest, sqliteUnderTest } from '../../../contract/database/database-under-test.ts';
import { must } from '../../../support/must.ts';
import { functionKey, functionName, registryOf, settingsOf, stranger, tenant } from './function-parts.ts';

const MISSING = { code: 'FUNCTION_NOT_FOUND' };
const hello = functionName();
const runs = { image: 'function-node' };

describe('the registry of functions', () => {
  let under: DatabaseUnderTest;
  let registry: FunctionRegistry;
  /** For what is remembered. */
  let now: number;
  const onDefined = vi.fn();
  const onDeleted = vi.fn();

  beforeEach(async () => {
    under = await sqliteUnderTest();
    now = 0;
    registry = registryOf(under.database, { now: () => now, onDefined, onDeleted });
    onDefined.mockReset();
    onDeleted.mockReset();
  });
  afterEach(() => under[Symbol.asyncDispose]());

  const put = (words: Partial<FunctionWords> = {}, by = registry) =>
    by.put(tenant, hello, { runs, ...words });
  const revision = async (words: Partial<FunctionWords> = {}) => (await put(words)).definition.revision;

  describe('defines', () => {
    it('what was said, and the rest by default', async () => {
      const at = new Date(under.clock.now());
      const { definition, created } = await put({ env: { A: 'b' }, path: '/run' });
      expect(created).toBe(true);
      expect(definition).toEqual({
        of: { tenant, name: hello },
        image: `function-node:${VERSION}`,
        env: { A: 'b' },
        port: 8080,
        path: '/run',
        timeoutSeconds: 60,
        resources: { cpus: 1, memoryMb: 512, pids: 256 },
        scaling: {
          minCapacity: 0,
          maxCapacity: 1,
          idleTimeoutSeconds: 300,
          acquireTimeoutSeconds: 30,
          queue: 100,
        },
        revision: expect.stringMatching(/^[0-9a-f]{16}$/),
        createdAt: at,
        updatedAt: at,
      });
      expect(await registry.get(tenant, hello)).toEqual(definition);
      expect(await registry.find(functionKey())).toEqual(definition);
      expect(onDefined.mock.calls).toEqual([[definition]]);
    });

    it('as a whole: what is said no more is as by default again', async () => {
      await put({ env: { A: 'b' }, port: 9000, scaling: { maxCapacity: 5 } });
      under.clock.advance(5);
      const { definition, created } = await put();
      expect(created).toBe(false);
      expect(definition).toMatchObject({ env: {}, port: 8080, scaling: { maxCapacity: 1 } });
      expect(definition.updatedAt.getTime() - definition.createdAt.getTime()).toBe(5_000);
    });

    it('nothing that is not allowed', async () => {
      await expect(put({ runs: { image: 'evil' } })).rejects.toMatchObject({ code: 'FORBIDDEN' });
      await expect(put({ runs: { taskDefinition: 'node' } })).rejects.toMatchObject({
        code: 'NOT_SUPPORTED',
      });
      await expect(registry.get(tenant, hello)).rejects.toMatchObject(MISSING);
      expect(onDefined).not.toHaveBeenCalled();
    });

    it('on ECS what the operator has listed', async () => {
      registry = registryOf(under.database, { settings: settingsOf({}, 'ecs', ['node']) });
      expect((await put({ runs: { taskDefinition: 'node' } })).definition.image).toBe('node');
    });

    it('a thousand for a tenant, and no more', async () => {
      const { definition } = await put();
      for (let at = 1; at < 1000; at += 1) await registry.put(tenant, functionName(`f-${at}`), { runs });
      await expect(registry.put(tenant, functionName('more'), { runs })).rejects.toMatchObject({
        code: 'QUOTA_EXCEEDED',
        fields: { limit: 1000, used: 1000 },
      });
      expect((await put()).definition.revision).toBe(definition.revision);
      await registry.put(stranger, hello, { runs });
      const all = await Array.fromAsync(registry.all());
      expect(all).toHaveLength(1001);
      expect(new Set(all.map(({ of }) => `${of.tenant}/${of.name}`)).size).toBe(1001);
    });
  });

  describe('has a revision', () => {
    it('that is the same for the same workers', async () => {
      const first = await revision({ env: { A: '1', B: '2' } });
      expect(await revision({ env: { B: '2', A: '1' } })).toBe(first);
      const others = { path: '/x', timeoutSeconds: 5, scaling: { maxCapacity: 3, queue: 0 } };
      expect(await revision({ env: { A: '1', B: '2' }, ...others })).toBe(first);
      expect(await revision({ env: { A: '1', B: '2' }, runs: { image: `function-node:${VERSION}` } })).toBe(
        first,
      );
    });

    it('that is another for every other image, environment, port or resources', async () => {
      const all = [
        {},
        { runs: { image: 'function-node:0.0.1' } },
        { env: { A: '1' } },
        { env: { A: '2' } },
        { env: { B: '1' } },
        { env: { A: '1', B: '' } },
        { port: 8081 },
        { resources: { cpus: 0.5 } },
        { resources: { memoryMb: 256 } },
        { resources: { pids: 16 } },
      ];
      const found = new Set<string>();
      for (const words of all) found.add(await revision(words));
      expect(found.size).toBe(all.length);
    });
  });

  describe('keeps environments', () => {
    it('where the database can’t read them', async () => {
      await put({ env: { TOKEN: 'hunter2' } });
      const rows = JSON.stringify(await under.connection.rows('SELECT * FROM functions'));
      expect(rows).not.toMatch(/TOKEN|hunter2/);
      const [row] = await under.connection.rows('SELECT env FROM functions');
      expect(Buffer.from(String(must(row).env), 'base64url').toString('latin1')).not.toMatch(/TOKEN|hunter2/);
    });

    it('each for its own function', async () => {
      await put({ env: { TOKEN: 'hunter2' } });
      await registry.put(stranger, hello, { runs });
      await under.connection.rows(
        "UPDATE functions SET env = (SELECT env FROM functions WHERE tenant = 'acme') WHERE tenant = 'other'",
      );
      await expect(registry.get(stranger, hello)).rejects.toMatchObject({ code: 'INTERNAL' });
    });

    it('so that another secret opens none, tells which, and leaves out no other function', async () => {
      await put({ env: { TOKEN: 'hunter2' } });
      const lines: Record<string, unknown>[] = [];
      const log = pino(new Writable({ write: (line, _, next) => next(void lines.push(JSON.parse(line))) }));
      const other = registryOf(under.database, { secret: 8, log });
      await other.put(tenant, functionName('theirs'), { runs });
      await expect(other.find(functionKey())).rejects.toMatchObject({
        code: 'INTERNAL',
        detail: expect.stringMatching(/acme\/hello .*BERTH_SECRET.*define it again/),
      });
      const found = await Array.fromAsync(other.all());
      expect(found.map(({ of }) => of.name)).toEqual(['theirs']);
      expect(lines).toMatchObject([{ level: 50, tenant: 'acme', function: 'hello' }]);
      await other.delete(tenant, hello);
      await other.put(tenant, hello, { runs });
      expect(await other.find(functionKey())).toBeDefined();
    });
  });

  it('knows no other tenant’s', async () => {
    await put();
    await expect(registry.get(stranger, hello)).rejects.toMatchObject(MISSING);
    await expect(registry.delete(stranger, hello)).rejects.toMatchObject(MISSING);
    expect(await registry.find({ tenant: stranger, name: hello })).toBeUndefined();
    expect(await registry.list(stranger, { limit: 10 })).toEqual([]);
    expect(onDeleted).not.toHaveBeenCalled();
    expect(await registry.get(tenant, hello)).toBeDefined();
  });

  it('deletes one, once', async () => {
    await put();
    await registry.delete(tenant, hello);
    expect(onDeleted.mock.calls).toEqual([[functionKey()]]);
    await expect(registry.delete(tenant, hello)).rejects.toMatchObject(MISSING);
    expect(onDeleted).toHaveBeenCalledTimes(1);
  });

  it('finds at once what was changed here', async () => {
    expect(await registry.find(functionKey())).toBeUndefined();
    await put({ port: 1 });
    expect(await registry.find(functionKey())).toMatchObject({ port: 1 });
    await put({ port: 2 });
    expect(await registry.find(functionKey())).toMatchObject({ port: 2 });
    await registry.delete(tenant, hello);
    expect(await registry.find(functionKey())).toBeUndefined();
  });

  it('finds what another instance changed within a second, or as soon as it is told', async () => {
    await put({ port: 1 });
    await registry.find(functionKey());
    const elsewhere = registryOf(under.database, { onDefined: ({ of }) => told && registry.changed(of) });
    let told = false;
    await put({ port: 2 }, elsewhere);
    expect(await registry.find(functionKey())).toMatchObject({ port: 1 });
    now += 1000;
    expect(await registry.find(functionKey())).toMatchObject({ port: 2 });
    told = true;
    await put({ port: 3 }, elsewhere);
    expect(await registry.find(functionKey())).toMatchObject({ port: 3 });
  });
});
