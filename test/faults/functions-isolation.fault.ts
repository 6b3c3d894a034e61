import { expect, it } from 'vitest';
import { ForbiddenTargets, METADATA, TRIES } from '../support/forbidden-targets.ts';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import { describeWith } from '../support/services/provided.ts';

/** Tries every target by itself and through its proxy, and tells what it has for a network. */
const HANDLER = `${TRIES}
  export default async ({ targets }) => ({
    directly: await Promise.all(targets.map(directly)),
    proxied: await Promise.all(targets.map(({ host, port }) => proxied('http://' + host + ':' + port + '/'))),
    interfaces: interfaces(),
  });`;

describeWith(FUNCTION_SERVICES, 'a program in a worker', () => {
  it('reaches no other worker, no store, no database, not the API and no metadata: only its way out', async () => {
    await using here = await FunctionCluster.open();
    const runtime = await here.cluster.start();
    await using forbidden = await ForbiddenTargets.open(runtime);
    const other = await here.define(runtime, "export default () => 'other'");
    const { worker } = await other.call();
    const targets = [...forbidden.all, ...METADATA, { host: worker ?? '', port: 8080 }];

    const tries = await here.define(runtime, HANDLER);
    const { status, json } = await tries.call({ targets });
    expect(status).toBe(200);
    expect(json.directly).toHaveLength(targets.length);
    expect(json.directly).not.toContain('connected');
    // It answers, and lets nobody through.
    expect(json.proxied).toEqual(targets.map(() => 403));
    expect(json.interfaces).toEqual(['lo']);
    expect(forbidden.reached).toBe(0);
  });
});
