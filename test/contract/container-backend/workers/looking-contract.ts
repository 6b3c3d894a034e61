import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import { LABEL } from '../../../../runtime/contracts/labels.ts';
import { type AppHarness, OURS } from '../apps/app-harness.ts';

/** What is seen of a worker, and what it sees. */
export function workerLookingContract(harness: AppHarness): void {
  describe('a created worker', () => {
    let given: ContainerSpec;

    beforeAll(async () => {
      given = {
        ...harness.spec(),
        id: harness.id(), // this one outlives a test
        labels: { [LABEL.tenant]: 't1', [LABEL.function]: 'f', [LABEL.role]: 'forged' },
      };
      await Promise.all([harness.backend.create(given), harness.backend.create(given)]);
      await harness.app(given).untilItListens();
    });

    afterAll(() => harness.backend.destroy(given.id));

    it('is shown by inspect and in the list of its role alone, with its labels', async () => {
      const view = await harness.backend.inspect(given.id);
      expect(view).toMatchObject({ id: given.id, role: 'function', state: 'running' });
      expect(view?.labels).toMatchObject({
        [LABEL.installation]: OURS,
        [LABEL.role]: 'function',
        [LABEL.tenant]: 't1',
        [LABEL.function]: 'f',
      });
      const listed = await harness.backend.list('function');
      expect(listed.filter(({ id }) => id.includes(given.id))).toEqual([view]);
      for (const role of ['conversation', 'workspace'] as const)
        expect((await harness.backend.list(role)).map(({ id }) => id)).not.toContain(given.id);
      expect((await harness.others.list('function')).map(({ id }) => id)).not.toContain(given.id);
    });

    it('stays the same one when it is created again, also by the next start of the runtime', async () => {
      const first = await harness.engineId(given.id);
      await harness.backend.create(given);
      const next = harness.under.open({ installation: OURS });
      await next.create(given);
      expect((await next.inspect(given.id))?.engineId).toBe(first);
      expect(await harness.app(given, next).call('/')).toBe('the app');
      await next.close();
    });

    it('tells what it uses and what it prints', async () => {
      const before = await harness.backend.stats(given.id);
      await harness.app(given).bash('i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done');
      const stats = await harness.backend.stats(given.id);
      expect(stats.cpuNanoseconds).toBeGreaterThan(before.cpuNanoseconds);
      expect(stats.memoryBytes).toBeGreaterThan(1_000_000);
      expect(stats.memoryBytes).toBeLessThan(stats.memoryLimitBytes);
      if (harness.backend.kind === 'docker') expect(stats.memoryLimitBytes).toBe(given.limits.memoryBytes);
      expect(stats.pids).toBeGreaterThan(0);
      expect(stats.oomEvents).toBe(0);
      expect(await harness.backend.logs(given.id, { tail: 10 })).toContain('the app begins');
    });

    it('writes to /tmp and nowhere else', async () => {
      if (!harness.backend.capabilities.isolates) return; // it does not claim to
      const app = harness.app(given);
      expect(await app.bash('echo x > /tmp/mark && cat /tmp/mark')).toBe('x');
      const places = '/ /home /opt /usr /etc /var "$HOME"';
      const tried = `for place in ${places}; do (echo x > "$place/mark") 2>/dev/null && echo "$place"; done; true`;
      expect(await app.bash(tried)).toBe('');
    });

    it('has no agent to dial', async () => {
      const asked = harness.backend.endpoint(given.id, 'agent');
      await expect(asked).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
    });
  });

  it('workers of one function are apart, also under the longest name', async () => {
    const workers = await Promise.all([1, 2].map(() => harness.running({ id: harness.id(40) })));
    for (const { app, spec } of workers) {
      await app.bash(`echo ${spec.id} > "$TMPDIR/mark" || echo ${spec.id} > /tmp/mark`);
      expect(await app.call('/')).toBe('the app');
    }
    const listed = (await harness.backend.list('function')).map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining(workers.map(({ spec }) => spec.id)));
    const [one, two] = workers;
    await harness.backend.destroy(one?.spec.id ?? harness.id());
    expect(await two?.app.call('/')).toBe('the app');
  });

  it('a container whose name and role are of two kinds is refused', async () => {
    for (const change of [{ role: 'workspace' }, { role: 'conversation' }] as const) {
      const given = harness.spec(change);
      await expect(harness.backend.create(given)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
    }
    const { app: _, ...agentless } = harness.spec();
    await expect(harness.backend.create(agentless)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  });
}
