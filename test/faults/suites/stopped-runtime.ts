import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { ContainerPlace } from '../../support/container-place.ts';
import { allEvents, printed, readEvents } from '../../support/event-reading.ts';
import { must } from '../../support/must.ts';
import { record, running, start } from './started-runtime.ts';

/** What callers see of a runtime that is told to stop or killed, on whatever place. */
export function runtimeIsStopped(place: () => ContainerPlace): void {
  it('told to stop during a command: the answer still comes, exit 0, nothing is left', async () => {
    await using runtime = await start(place());
    const call = runtime.exec('c', ['bash', '-c', 'sleep 1.5; echo done']);
    await running(runtime, 'c');
    const { container_id } = await record(runtime, 'c');
    const stopped = runtime.stop('SIGTERM');
    expect(await call).toMatchObject({ exit_code: 0, stdout: 'done\n' });
    expect(await stopped).toBe(0);
    expect(await place().has(must(container_id))).toBe(false);
  });

  it('told to stop while a container is being made for a command: that still gets its answer', async () => {
    await using runtime = await start(place());
    const call = runtime.exec('cold', ['bash', '-c', 'sleep 1; echo done']);
    await vi.waitFor(async () => expect((await record(runtime, 'cold')).status).toBe('preparing'), 5000);
    const stopped = runtime.stop('SIGTERM');
    expect(await call).toMatchObject({ exit_code: 0, stdout: 'done\n' });
    expect(await stopped).toBe(0);
  });

  it('told to stop during a command that outlasts the grace period: cancelled, and told so', async () => {
    await using runtime = await start(place(), { GRACE_PERIOD_SECONDS: '0.5' });
    const call = runtime.exec('c', ['sleep', '60']);
    await running(runtime, 'c');
    const stopped = runtime.stop('SIGTERM');
    expect(await call).toMatchObject({ status: 503, code: 'SHUTTING_DOWN' });
    expect(await stopped).toBe(0);
  });

  it('told twice ends at once', async () => {
    await using runtime = await start(place(), { GRACE_PERIOD_SECONDS: '60' });
    const call = runtime.exec('c', ['sleep', '60']).catch(() => 'cut');
    await running(runtime, 'c');
    runtime.child.kill('SIGTERM');
    await vi.waitFor(() => expect(runtime.output).toContain('a second signal ends it at once'));
    // Signals of the first half second count as one, so it is asked until it goes.
    await vi.waitFor(() => {
      runtime.child.kill('SIGINT');
      expect(runtime.child.exitCode).toBe(130);
    }, 5000);
    expect(await call).toBe('cut');
    const installation = readFileSync(join(runtime.dataDir, 'installation'), 'utf8').trim();
    await place().removeAll(installation);
  });

  it('told the same twice in one breath, as npm does at Ctrl-C, stops in order', async () => {
    await using runtime = await start(place());
    const call = runtime.exec('c', ['bash', '-c', 'sleep 1; echo done']);
    await running(runtime, 'c');
    runtime.child.kill('SIGINT');
    await vi.waitFor(() => expect(runtime.output).toContain('a second signal ends it at once'));
    const stopped = runtime.stop('SIGINT');
    expect(await call).toMatchObject({ stdout: 'done\n' });
    expect(await stopped).toBe(0);
  });

  it('killed with -9: the next start takes up its conversations, with what runs in them', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'berth-crash-'));
    const installation = `crash-${randomBytes(4).toString('hex')}`;
    await using first = await start(place(), { BERTH_INSTALLATION: installation }, dataDir);
    await first.exec('c', ['bash', '-c', 'echo unsaved > f']);
    // Long enough to be still running once the next has started, be the machine ever so busy.
    const input = 'import time\nfor i in range(10): print(i, flush=True); time.sleep(1.5)';
    const stream = readEvents(await first.post('/v1/conversations/c/execute', { user_input: input }));
    const seen = must((await stream.next()).value);
    await first.stop('SIGKILL');
    expect(await place().count(installation)).toBe(1);
    await using second = await start(place(), { BERTH_INSTALLATION: installation }, dataDir);
    expect(await second.exec('c', ['cat', 'f'])).toMatchObject({ stdout: 'unsaved\n' });
    expect(await place().count(installation)).toBe(1);
    const path = `/v1/conversations/c/executions/${seen.data.execution_id}/events?after=${seen.id}`;
    const rest = await allEvents(await second.fetch(path));
    expect(rest.map(({ id }) => id)).toEqual(rest.map((_, index) => index + 2));
    expect(printed(rest)).toBe('0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n');
    expect(rest.at(-1)).toMatchObject({ type: 'done' });
    const { container_id } = await record(second, 'c');
    expect(await place().has(must(container_id))).toBe(true);
    await second.stop();
    expect(await place().has(must(container_id))).toBe(false);
    // And nothing else is: on ECS a task is still there for a while after it was told to stop.
    await vi.waitFor(async () => expect(await place().count(installation)).toBe(0), 60_000);
    rmSync(dataDir, { recursive: true });
  });
}
