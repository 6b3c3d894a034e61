import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eventually, type OpenCluster, poolOf, shownContainers } from '../support/cluster.ts';

const MAIN = fileURLToPath(new URL('../../runtime/main.ts', import.meta.url));

export async function destroyAll(env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, 'destroy-all', ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const [code] = await once(child, 'close');
  return { code: Number(code), output };
}

/** How an installation is ended as a whole, on whatever place. */
export function destroyAllWorks(open: OpenCluster): void {
  it('ends everything, files saved first, only when it is told that this is meant', async () => {
    await using cluster = open(poolOf(1));
    const runtime = await cluster.start();
    await runtime.exec('a', ['bash', '-c', 'echo kept > f']);
    await runtime.exec('b', ['bash', '-c', 'echo kept > f']);
    await eventually(async () => {
      const owners = (await shownContainers(runtime)).map(({ owner }) => owner);
      expect(owners).toHaveLength(3);
      expect(owners).toContain('warm'); // what is only being made would be given up
    });
    await runtime.stop(); // it hands over: the containers stay
    expect(await cluster.containers()).toBe(3);

    const env = cluster.env('destroy');
    expect(await destroyAll(env)).toMatchObject({ code: 3, output: expect.stringContaining('--yes') });
    expect(await cluster.containers()).toBe(3);
    const done = await destroyAll(env, '--yes');
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('Nothing is left.') });
    expect(await cluster.containers()).toBe(0);
    expect(await destroyAll(env, '--yes')).toMatchObject({ code: 0, output: 'There are no containers.\n' });

    const next = await cluster.start();
    expect(await (await next.fetch('/v1/conversations/a/files/f')).text()).toBe('kept\n');
    expect(await next.exec('b', ['cat', 'f'])).toMatchObject({ stdout: 'kept\n' });
    await next.stop();
    expect(await destroyAll(env, '--yes', '--purge')).toMatchObject({ code: 0 });
    const last = await cluster.start();
    expect((await last.fetch('/v1/conversations/b/files')).status).toBe(404);
    expect((await last.fetch('/v1/conversations/a/files')).status).toBe(200);
  });

  it('ends what killed runtimes left, a container in the middle of its preparation among it, and saves first', async () => {
    await using cluster = open(poolOf(1));
    const runtime = await cluster.start();
    await runtime.exec('a', ['bash', '-c', 'echo kept > f']);
    await eventually(async () =>
      expect((await shownContainers(runtime)).map(({ owner }) => owner)).toContain('warm'),
    );
    await runtime.stop('SIGKILL');
    const next = await cluster.start({}, { at: 'claim.popped', do: 'kill' });
    await eventually(async () =>
      expect(await shownContainers(next)).toContainEqual(expect.objectContaining({ owner: 'warm' })),
    );
    await expect(next.exec('b', ['true'])).rejects.toThrow();
    expect(await cluster.containers()).toBeGreaterThanOrEqual(2);

    const done = await destroyAll(cluster.env('destroy'), '--yes');
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('Nothing is left.') });
    expect(await cluster.containers()).toBe(0);
    const last = await cluster.start();
    expect(await last.exec('a', ['cat', 'f'])).toMatchObject({ stdout: 'kept\n' });
  }, 180_000);
}
