import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { containerSpec } from '../../../contract/container-backend/specs.ts';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';
import { CuttableRelay } from '../../../support/cuttable-relay.ts';
import { describeWith, docker, workspaceImage } from '../../../support/services/provided.ts';
import { openDockerBackend, useDockerContainer } from './docker-container.ts';
import { engineTarget } from './engine-target.ts';
import { attemptSwap } from './swap-attempt.ts';

describeWith(['docker', 'workspace-base-image'], "swapping the agent's socket", () => {
  const container = useDockerContainer();
  const engineSocket = new URL(docker().host).pathname;

  it('is impossible where the container has another user than the runtime', async () => {
    const { backend, spec, base } = container();
    expect(await attemptSwap(backend, spec, base, engineSocket)).toEqual({
      planted: 'nothing',
      reached: [true, true],
      endpoint: 'socket',
    });
  });

  it('is impossible for a runtime that is an ordinary user', async () => {
    expect(await attemptUnderOrdinaryUser()).toEqual({
      planted: 'nothing',
      reached: [true, true],
      endpoint: 'socket',
    });
  });

  it('gets nowhere where the container has the same user as the runtime', async () => {
    expect(await attemptUnderOrdinaryUser(`${ordinaryUser}:${ordinaryUser}`)).toEqual({
      planted: 'link',
      reached: [true, true],
      endpoint: 'socket',
    });
  });

  it('is found out when it is there from the start', async () => {
    const folder = new TestFolder();
    const backend = openDockerBackend(folder.path);
    const plant = `
      import { symlinkSync } from 'node:fs';
      symlinkSync(${JSON.stringify(engineSocket)}, '/berth/agent/agent.sock');
      setInterval(() => {}, 1000);
      await new Promise(() => {});`;
    const given = containerSpec(workspaceImage(), {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(plant)}` },
    });
    await expect(backend.create(given)).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringContaining('no socket of the agent'),
    });
    expect(await backend.inspect(given.id)).toBeUndefined();
    expect(readdirSync(folder.path)).toEqual([]);
    await backend.close();
    folder.remove();
  });

  const ordinaryUser = process.getuid?.() || 1000;

  /** With a runtime in a process of its own, which leaves nothing behind. */
  async function attemptUnderOrdinaryUser(user?: string): Promise<unknown> {
    await using relay = await CuttableRelay.open(engineTarget());
    const folder = new TestFolder();
    if (process.getuid?.() === 0) chownSync(folder.path, ordinaryUser, ordinaryUser);
    const order = {
      uid: ordinaryUser,
      user,
      dockerHost: `tcp://127.0.0.1:${relay.port}`,
      base: folder.path,
      spec: containerSpec(workspaceImage()),
      engineSocket,
    };
    const script = fileURLToPath(new URL('./ordinary-runtime.ts', import.meta.url));
    const child = fork(script, [JSON.stringify(order)], { execArgv: [] });
    const ended = once(child, 'exit');
    const [result] = await Promise.race([once(child, 'message'), ended]);
    expect(await ended).toEqual([0, null]);
    expect(readdirSync(folder.path)).toEqual([]);
    if (engineSocket !== '') expect(existsSync(engineSocket)).toBe(true);
    folder.remove();
    const { uid, ...swap } = result;
    expect(uid).toBe(ordinaryUser);
    return swap;
  }
});
