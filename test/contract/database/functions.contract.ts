import { expect, it } from 'vitest';
import { type FunctionName, parseFunctionName } from '../../../runtime/contracts/ids.ts';
import type { FunctionRow, NewFunction, Put } from '../../../runtime/database/functions.ts';
import { must } from '../../support/must.ts';
import type { OpenDatabase } from './database-under-test.ts';
import { tenant } from './workspace-scenario.ts';

const LIMIT = 1000;
const named = (name: string): FunctionName => must(parseFunctionName(name));

function defined(words: Partial<NewFunction> = {}): NewFunction {
  return {
    tenant: tenant(),
    name: named('hello'),
    image: 'function-node:1',
    sealedEnv: 'sealed',
    port: 8080,
    path: '/run?a=b',
    timeoutSeconds: 60,
    resources: { cpus: 0.25, memoryMb: 512, pids: 256 },
    scaling: {
      minCapacity: 0,
      maxCapacity: 3,
      idleTimeoutSeconds: 300,
      acquireTimeoutSeconds: 2.5,
      queue: 100,
    },
    revision: '0123456789abcdef',
    ...words,
  };
}

const names = (rows: FunctionRow[]) => rows.map(({ tenant: of, name }) => `${of}/${name}`);

export function functionsContract(open: OpenDatabase): void {
  it('keeps a function as it was defined, at the database’s time', async () => {
    const { database, clock } = await open();
    const at = { createdAt: clock.now(), updatedAt: clock.now() };
    const put = await database.functions.put(defined(), LIMIT);
    expect(put).toEqual({ kind: 'created', row: { ...defined(), ...at } });
    clock.advance(5);
    expect(await database.functions.get(defined())).toEqual({ ...defined(), ...at });
  });

  it('replaces all that was said of it, and remembers when it was made', async () => {
    const { database, clock } = await open();
    const createdAt = clock.now();
    await database.functions.put(defined(), LIMIT);
    clock.advance(5);
    const changed = defined({
      image: 'other:2',
      sealedEnv: 'sealed anew',
      port: 1,
      path: '/',
      timeoutSeconds: 1.5,
      resources: { cpus: 4, memoryMb: 64, pids: 16 },
      scaling: {
        minCapacity: 2,
        maxCapacity: 2,
        idleTimeoutSeconds: 1,
        acquireTimeoutSeconds: 0,
        queue: 0,
      },
      revision: 'fedcba9876543210',
    });
    const row = { ...changed, createdAt, updatedAt: clock.now() };
    expect(await database.functions.put(changed, LIMIT)).toEqual({ kind: 'changed', row });
    expect(await database.functions.get(changed)).toEqual(row);
    expect(await database.functions.count(tenant())).toBe(1);
  });

  it('has one of a name a tenant, and knows no other tenant’s', async () => {
    const { database } = await open();
    const { functions } = database;
    const theirs = defined({ tenant: tenant('other'), image: 'theirs:1' });
    await functions.put(defined(), LIMIT);
    expect(await functions.put(theirs, LIMIT)).toMatchObject({ kind: 'created' });
    expect(await functions.get(defined())).toMatchObject({ image: 'function-node:1' });
    expect(await functions.delete(theirs)).toBe(true);
    expect(await functions.get(theirs)).toBeUndefined();
    expect(await functions.get(defined())).toBeDefined();
    expect(await functions.list(tenant('other'), { limit: 10 })).toEqual([]);
  });

  it('deletes one, once, and it can be made anew', async () => {
    const { database, clock } = await open();
    const { functions } = database;
    await functions.put(defined(), LIMIT);
    expect(await functions.delete(defined())).toBe(true);
    expect(await functions.delete(defined())).toBe(false);
    clock.advance(9);
    expect(await functions.put(defined(), LIMIT)).toMatchObject({
      kind: 'created',
      row: { createdAt: clock.now() },
    });
  });

  it('lets a tenant have so many, also when many ask at once, and always change what it has', async () => {
    const { database } = await open();
    const { functions } = database;
    const put = (name: string, words: Partial<NewFunction> = {}): Promise<Put> =>
      functions.put(defined({ name: named(name), ...words }), 5);
    const all = await Promise.all(Array.from({ length: 8 }, (_, at) => put(`f-${at}`)));
    const made = all.flatMap((each) => (each.kind === 'created' ? [each.row.name] : []));
    expect(made).toHaveLength(5);
    const refused = { kind: 'over-quota', limit: 5, used: 5 };
    expect(all.filter(({ kind }) => kind === 'over-quota')).toEqual(Array(3).fill(refused));
    expect(await put(must(made[0]))).toMatchObject({ kind: 'changed' });
    expect(await put('theirs', { tenant: tenant('other') })).toMatchObject({ kind: 'created' });
    expect(await functions.count(tenant())).toBe(5);
    await functions.delete(defined({ name: must(made[0]) }));
    expect(await put('another')).toMatchObject({ kind: 'created' });
  });

  it('of many that define the same one, makes it once', async () => {
    const { database } = await open();
    const puts = await Promise.all(
      Array.from({ length: 10 }, (_, at) => database.functions.put(defined({ port: at + 1 }), LIMIT)),
    );
    expect(puts.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(puts.filter(({ kind }) => kind === 'changed')).toHaveLength(9);
  });

  it('lists a tenant’s, and those of all, a page at a time', async () => {
    const { database } = await open();
    const { functions } = database;
    for (const of of ['b', 'a']) {
      for (const name of ['y', 'x', 'z'])
        await functions.put(defined({ tenant: tenant(of), name: named(name) }), LIMIT);
    }
    expect(names(await functions.list(tenant('a'), { limit: 2 }))).toEqual(['a/x', 'a/y']);
    expect(names(await functions.list(tenant('a'), { limit: 2, after: named('y') }))).toEqual(['a/z']);
    const first = await functions.all({ limit: 2 });
    expect(names(first)).toEqual(['a/x', 'a/y']);
    const rest = await functions.all({ limit: 10, after: must(first.at(-1)) });
    expect(names(rest)).toEqual(['a/z', 'b/x', 'b/y', 'b/z']);
    expect(await functions.all({ limit: 4, after: { tenant: tenant('b'), name: named('z') } })).toEqual([]);
  });

  it('takes hostile texts for texts', async () => {
    const { database } = await open();
    const path = `/'; DROP TABLE functions; -- "$1" ? {now} \u{1F600}`;
    await database.functions.put(defined({ path, sealedEnv: path }), LIMIT);
    expect(await database.functions.get(defined())).toMatchObject({ path, sealedEnv: path });
  });
}
