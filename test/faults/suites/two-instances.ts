import { expect, it } from 'vitest';
import { type Cluster, eventually, poolOf, shownContainers } from '../../support/cluster.ts';
import { openTerminal, TestViewer } from '../../support/terminal-viewer.ts';

const MAX = 14;

/** On whatever backend: `open` makes a cluster of the test's own. */
export function twoInstances(open: (env: Record<string, string>) => Cluster): void {
  it('claim 200 conversations at once with a pool of 5: one container each, never above the maximum', async () => {
    await using cluster = open({
      ...poolOf(5),
      MAX_CONTAINERS: String(MAX),
    });
    const instances = [await cluster.start(), await cluster.start()] as const;
    await eventually(async () => {
      expect((await shownContainers(instances[0])).filter(({ owner }) => owner === 'warm')).toHaveLength(5);
    });
    let most = 0;
    const watch = setInterval(async () => {
      const now = await cluster.containers().catch(() => 0);
      most = Math.max(most, now);
    }, 100);
    // Each conversation is asked for at both instances: 200 of them, 400 requests.
    const names = Array.from({ length: 200 }, (_, i) => `c${i}`);
    const answers = await Promise.all(
      names.flatMap((name) => instances.map((runtime) => runtime.exec(name, ['hostname']))),
    );
    clearInterval(watch);
    const hosts = new Map<string, Set<string>>();
    for (const [index, answer] of answers.entries()) {
      if (answer.exit_code === 0) {
        const name = names[Math.floor(index / 2)] ?? '';
        hosts.set(name, (hosts.get(name) ?? new Set()).add(answer.stdout));
      } else {
        expect(answer).toMatchObject({ status: 429, code: 'CAPACITY_EXCEEDED' });
      }
    }
    // The pool leaves conversations their places, and no two share a container.
    expect(hosts.size).toBeGreaterThanOrEqual(5);
    expect([...hosts.values()].every((of) => of.size === 1)).toBe(true);
    expect(new Set([...hosts.values()].flatMap((of) => [...of])).size).toBe(hosts.size);
    expect(most).toBeLessThanOrEqual(MAX);
    await eventually(async () => {
      const shown = await shownContainers(instances[1]);
      expect(shown.filter(({ owner }) => typeof owner === 'object' && owner !== null)).toHaveLength(
        hosts.size,
      );
    });
  });

  it('both collect garbage: what is idle ends once, saved, and what works stays', async () => {
    await using cluster = open({
      CONTAINER_TTL_SECONDS: '2',
      GC_INTERVAL_SECONDS: '0.5',
    });
    const [one, two] = [await cluster.start(), await cluster.start()];
    await one.exec('idle', ['bash', '-c', 'echo kept > f.txt']);
    const busy = two.exec('busy', ['bash', '-c', 'sleep 12; echo done']);
    await eventually(async () => {
      const shown = await shownContainers(one);
      expect(shown.map(({ owner }) => owner)).toMatchObject([{ conversation_id: 'busy' }]);
    }, 20);
    expect(await busy).toMatchObject({ stdout: 'done\n' });
    expect(await (await two.fetch('/v1/conversations/idle/files/f.txt')).text()).toBe('kept\n');
    for (const runtime of [one, two]) {
      const troubles = runtime.log.filter(({ level }) => level === 'error');
      expect(troubles).toEqual([]);
    }
  });

  it('show one terminal: whoever is sent away by the one goes on at the other', async () => {
    await using cluster = open({});
    const [one, two] = [await cluster.start(), await cluster.start()];
    const path = await openTerminal(one, 'c', { cmd: ['cat'] });
    const [first, beside] = [await TestViewer.open(one, path), await TestViewer.open(two, path)];
    first.type('one\n');
    await beside.sees(/^one\r\none\r\n$/);
    await first.sees(/^one\r\none\r\n$/);
    await one.stop();
    expect(await first.closed).toMatchObject({ code: 1001 });
    const second = await TestViewer.open(two, path, { after: first.received });
    second.type('two\n');
    await second.sees(/^two\r\ntwo\r\n$/);
    await beside.sees(/^one\r\none\r\ntwo\r\ntwo\r\n$/);
    expect((await two.fetch(path, { method: 'DELETE' })).status).toBe(204);
    await second.hears({ type: 'exit', exit_code: null });
  });
}
