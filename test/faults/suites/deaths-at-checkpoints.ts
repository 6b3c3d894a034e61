import { expect, it } from 'vitest';
import { CHECKPOINTS } from '../../../runtime/lifecycle/checkpoint.ts';
import { type Cluster, eventually, poolOf, shownContainers } from '../../support/cluster.ts';
import type { RuntimeProcess } from '../../support/runtime-process.ts';

// A runtime dies at each of its checkpoints. Another one, over the same Redis and backend, must find its way.

const POOL = poolOf(2);
const NAME = 'c1';

interface Scenario {
  /** Of the instance that dies. */
  env?: Record<string, string>;
  /** What brings it there. It may never be answered. */
  act: (runtime: RuntimeProcess) => Promise<unknown>;
}

const exec: Scenario = { act: (runtime) => runtime.exec(NAME, ['true']) };

/** With a pool that is full before anything is asked for. */
const warm = (act: Scenario['act']): Scenario => ({
  env: POOL,
  async act(runtime) {
    await eventually(async () => {
      const owners = (await shownContainers(runtime)).map(({ owner }) => owner);
      expect(owners).toEqual(['warm', 'warm']);
    });
    await act(runtime);
  },
});

const execute: Scenario = {
  async act(runtime) {
    const input = 'open("told.txt", "w").write("saved"); print("ran")';
    const answer = await runtime.post(`/v1/conversations/${NAME}/execute`, { user_input: input });
    await answer.text();
  },
};

const writeTold = (runtime: RuntimeProcess) =>
  runtime.fetch(`/v1/conversations/${NAME}/files/told.txt?durable=true`, { method: 'PUT', body: 'saved' });

const write: Scenario = { act: writeTold };

const remove: Scenario = {
  async act(runtime) {
    await eventually(async () => expect((await writeTold(runtime)).status).toBeLessThan(300));
    const removal = await runtime.fetch(`/v1/conversations/${NAME}`, { method: 'DELETE' });
    expect(removal.status, await removal.text()).toBe(202);
    await eventually(() => expect(runtime.child.signalCode).not.toBeNull(), 30);
  },
};

/** Idle for a second: the garbage collector drains it. */
const expire: Scenario = { ...write, env: { CONTAINER_TTL_SECONDS: '1' } };

const SCENARIOS: Record<(typeof CHECKPOINTS)[number], Scenario> = {
  'claim.reserved': exec,
  'claim.created': exec,
  'claim.bound': exec,
  'claim.popped': warm(exec.act),
  'claim.restored': warm(exec.act),
  'claim.assigned': warm(exec.act),
  'claim.confirmed': exec,
  'pool.reserved': { env: POOL, act: async () => undefined },
  'pool.created': { env: POOL, act: async () => undefined },
  'pool.added': { env: POOL, act: async () => undefined },
  'execute.begun': execute,
  'execute.sent': execute,
  'execute.saved': execute,
  'execute.finished': execute,
  'save.blobs': write,
  'save.manifest': write,
  'end.drained': expire,
  'end.saved': remove,
  'end.forgotten': remove,
  'end.destroyed': remove,
  'end.released': remove,
};

/** At most one container for the conversation, every container owned, and the pool at its target. */
async function settles(cluster: Cluster, runtime: RuntimeProcess): Promise<void> {
  await eventually(async () => {
    const shown = await shownContainers(runtime);
    const owned = shown.filter(({ owner }) => typeof owner === 'object' && owner !== null);
    expect(owned).toHaveLength(1);
    expect(shown.filter(({ owner }) => owner === 'warm')).toHaveLength(2);
    expect(shown).toHaveLength(3);
    expect(await cluster.containers()).toBe(3);
  }, 90);
}

/** On whatever backend: `open` makes a cluster of the test's own. */
export function deathsAtCheckpoints(open: () => Cluster): void {
  it.concurrent.for(CHECKPOINTS.map((name) => ({ name, ...SCENARIOS[name] })))(
    '$name leaves nothing that the next does not put right',
    async ({ name, env, act }, { expect }) => {
      await using cluster = open();
      const dying = await cluster.start(env, { at: name, do: 'kill' });
      await act(dying).catch(() => undefined); // its client is cut off
      await eventually(() => expect(dying.child.signalCode).toBe('SIGKILL'), 60);
      expect(dying.output).toContain(`fault: kill at ${name}`);

      const next = await cluster.start(POOL);
      const answer = await eventually(async () => {
        const result = await next.exec(NAME, ['bash', '-c', 'cat told.txt 2>/dev/null; echo served']);
        expect(result).toMatchObject({ exit_code: 0 });
        return result;
      });
      expect(answer.stdout).toMatch(/^(saved)?served\n$/);
      // What was told as saved is there: the write was answered before these.
      if (name.startsWith('end.') || name === 'execute.finished') expect(answer.stdout).toBe('savedserved\n');
      await settles(cluster, next);
    },
  );
}
