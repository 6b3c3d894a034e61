import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { ContainerPlace } from '../../support/container-place.ts';
import { must } from '../../support/must.ts';
import type { RuntimeProcess } from '../../support/runtime-process.ts';
import { record, running, start } from './started-runtime.ts';

/** What conversations live through when their containers break, on whatever place. */
export function containersBreak(place: () => ContainerPlace): void {
  let runtime: RuntimeProcess;
  beforeAll(async () => {
    runtime = await start(place());
  });
  afterAll(() => runtime[Symbol.asyncDispose]());

  it('killed under a running command: CONTAINER_CRASHED, and the next call gets a fresh one', async () => {
    const call = runtime.exec('killed', ['sleep', '60']);
    await running(runtime, 'killed');
    const { container_id } = await record(runtime, 'killed');
    await place().kill(must(container_id));
    expect(await call).toMatchObject({
      status: 502,
      code: 'CONTAINER_CRASHED',
      detail: expect.stringContaining('137'),
    });
    expect(await runtime.exec('killed', ['echo', 'fresh'])).toMatchObject({ stdout: 'fresh\n' });
    expect((await record(runtime, 'killed')).container_id).not.toBe(container_id);
    expect(await place().has(must(container_id))).toBe(false);
  });

  it('killed between two calls: the next one does not notice', async () => {
    await runtime.exec('between', ['true']);
    const { container_id } = await record(runtime, 'between');
    await place().kill(must(container_id));
    expect(await runtime.exec('between', ['echo', 'fresh'])).toMatchObject({ stdout: 'fresh\n' });
  });

  it('whose agent is killed from inside', async () => {
    expect(await runtime.exec('suicide', ['bash', '-c', 'kill -9 $PPID; sleep 5'])).toMatchObject({
      code: 'CONTAINER_CRASHED',
    });
    expect(await runtime.exec('suicide', ['echo', 'fresh'])).toMatchObject({ stdout: 'fresh\n' });
  });

  it('whose agent is frozen from inside: given up soon after the timeout', async () => {
    const frozen = await runtime.exec('frozen', ['bash', '-c', 'kill -STOP $PPID'], { timeout_seconds: 1 });
    expect(frozen).toMatchObject({
      code: 'CONTAINER_CRASHED',
      detail: expect.stringContaining('no answer within'),
    });
    expect(await runtime.exec('frozen', ['echo', 'fresh'])).toMatchObject({ stdout: 'fresh\n' });
  });

  it('whose output nobody reads is let go after its timeout all the same', async () => {
    const answer = await runtime.post(
      '/v1/conversations/unread/exec',
      { cmd: ['yes'], timeout_seconds: 1 },
      { headers: { accept: 'text/event-stream' } },
    );
    expect(answer.status).toBe(200);
    await vi.waitFor(async () => expect((await record(runtime, 'unread')).status).toBe('idle'), {
      timeout: 25_000,
      interval: 500,
    });
    await answer.body?.cancel();
  });

  it('with a full disk: 507, nothing half written, and room again after a delete', async () => {
    await runtime.exec('full', ['bash', '-c', 'head -c 1200M /dev/zero > big']);
    const path = '/v1/conversations/full/files/more';
    const answer = await runtime.fetch(path, { method: 'PUT', body: randomBytes(100_000) });
    expect(answer.status).toBe(507);
    expect(await answer.json()).toMatchObject({ code: 'DISK_FULL' });
    expect((await runtime.exec('full', ['ls', '-A'])).stdout).toBe('big\n');
    expect((await runtime.fetch('/v1/conversations/full/files/big', { method: 'DELETE' })).status).toBe(204);
    expect((await runtime.fetch(path, { method: 'PUT', body: 'fits' })).status).toBe(204);
  });

  it('that eats memory: its command dies, the conversation lives', async () => {
    const eater = await runtime.exec('eater', ['python3', '-c', 'x = bytearray(3 * 2**30); print(len(x))']);
    expect(eater.exit_code).not.toBe(0);
    expect(await runtime.exec('eater', ['echo', 'alive'])).toMatchObject({ stdout: 'alive\n' });
  });
}
