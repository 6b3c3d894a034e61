import { expect, it, vi } from 'vitest';
import { engineTarget } from '../runtime/containers/docker/engine-target.ts';
import { onEngine } from '../support/container-place.ts';
import { CuttableRelay } from '../support/cuttable-relay.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';
import { ready, start } from './suites/started-runtime.ts';

describeWith(['docker', 'workspace-base-image'], 'when the engine breaks', () => {
  it('cut off and back: live conversations go on, new ones wait for its return', async () => {
    await using relay = await CuttableRelay.open(engineTarget());
    await using runtime = await start(onEngine(), {
      DOCKER_HOST: `tcp://127.0.0.1:${relay.port}`,
      MAX_CONTAINERS: '2',
      GC_INTERVAL_SECONDS: '0.5',
    });
    await runtime.exec('old', ['touch', 'kept']);
    relay.cut();
    expect(await runtime.exec('old', ['ls'])).toMatchObject({ stdout: 'kept\n' });
    expect(await runtime.exec('new', ['true'])).toMatchObject({ status: 503, code: 'BACKEND_UNAVAILABLE' });
    expect((await fetch(`${runtime.url}/ready`)).status).toBe(503);
    expect((await fetch(`${runtime.url}/health`)).status).toBe(200);
    relay.restore();
    await ready(runtime);
    expect(await runtime.exec('old', ['ls'])).toMatchObject({ stdout: 'kept\n' });
    // The place of the failed one was given back: there is room for exactly one more.
    await vi.waitFor(
      async () => expect(await runtime.exec('new', ['echo', 'x'])).toMatchObject({ stdout: 'x\n' }),
      20_000,
    );
  });

  it('that lacks the image: told as such, and the service stays up', async () => {
    await using runtime = await RuntimeProcess.start({
      env: { ...onEngine().env, WORKSPACE_IMAGE: 'localhost:1/no/such:image' },
    });
    await vi.waitFor(
      async () =>
        expect(await runtime.exec('c', ['true'])).toMatchObject({ status: 502, code: 'IMAGE_PULL_FAILED' }),
      25_000,
    );
    expect((await fetch(`${runtime.url}/ready`)).status).toBe(503);
  });

  it('that is not there: one line, exit 1', async () => {
    const { code, output } = await RuntimeProcess.failing({
      env: { ...onEngine().env, DOCKER_HOST: 'unix:///nowhere.sock' },
    });
    expect(code).toBe(1);
    expect(output).toMatch(/^berth: The Docker engine can't be used .*: start it, or set DOCKER_HOST$/);
  });
});
