import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import { LABEL } from '../../../../runtime/contracts/labels.ts';
import { must } from '../../../support/must.ts';
import { APP_PORT } from './app-calls.ts';
import { type AppHarness, OURS, PROXY_ENV } from './app-harness.ts';

/** What is seen of a container that runs a program of its image. */
export function appLookingContract(harness: AppHarness): void {
  describe('a created app', () => {
    let given: ContainerSpec;
    let home: string;

    beforeAll(async () => {
      const { id, volume } = harness.names();
      await harness.under.makeVolume(volume, OURS);
      given = {
        id,
        role: 'workspace',
        image: harness.under.image,
        env: { HOME: '/home/coder', no_proxy: 'mine' },
        proxyEnv: PROXY_ENV,
        labels: { [LABEL.workspaceId]: 'w1', [LABEL.installation]: 'forged' },
        limits: { cpus: 1, memoryBytes: 2 ** 28, pids: 128 },
        network: 'none',
        app: {
          port: APP_PORT,
          user: '1000:1000',
          volume: { name: volume, mount: '/home/coder' },
          reservations: { cpus: 0.5, memoryBytes: 2 ** 26 },
          readOnlyRoot: false,
        },
      };
      await Promise.all([harness.backend.create(given), harness.backend.create(given)]);
      await harness.app(given).untilItListens();
      home = must((await harness.app(given).env()).HOME);
    });

    afterAll(() => harness.backend.destroy(given.id));

    it('is told its port and its egress proxy, unless the spec says otherwise', async () => {
      const env = await harness.app(given).env();
      expect(Number(env.PORT)).toBeGreaterThan(0);
      expect(env.HTTP_PROXY).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(env.HTTP_PROXY).not.toContain(`:${env.PORT}`);
      for (const name of ['HTTPS_PROXY', 'http_proxy', 'https_proxy']) expect(env[name]).toBe(env.HTTP_PROXY);
      expect(env).toMatchObject({
        NO_PROXY: 'localhost,127.0.0.1',
        no_proxy: 'mine',
        NODE_USE_ENV_PROXY: '1',
      });
      expect(Object.keys(env).filter((name) => name.startsWith('PORT_'))).toEqual([]);
    });

    it('has its volume as its home, and can write to it', async () => {
      expect(await harness.app(given).bash('echo kept > ~/file && cat "$HOME/file"')).toBe('kept');
      expect(home).toMatch(harness.backend.capabilities.isolates ? /^\/home\/coder$/ : /\/home$/);
    });

    it('is shown by inspect and list, with its labels, and as one container only', async () => {
      const { backend } = harness;
      const view = await backend.inspect(given.id);
      expect(view).toMatchObject({ id: given.id, role: 'workspace', state: 'running' });
      expect(view?.labels).toMatchObject({
        [LABEL.installation]: OURS,
        [LABEL.role]: 'workspace',
        [LABEL.workspaceId]: 'w1',
      });
      const listed = await backend.list('workspace');
      expect(listed.filter(({ id }) => id.includes(given.id))).toEqual([view]);
      for (const role of ['conversation', 'function'] as const)
        expect((await backend.list(role)).map(({ id }) => id)).not.toContain(given.id);
    });

    it('stays the same one when it is created again, also by the next start of the runtime', async () => {
      const first = await harness.engineId(given.id);
      await harness.backend.create(given);
      expect(await harness.engineId(given.id)).toBe(first);
      const next = harness.under.open({ installation: OURS });
      expect((await next.list('workspace')).map(({ id }) => id)).toContain(given.id);
      await next.create(given);
      expect(await next.inspect(given.id)).toEqual(await harness.backend.inspect(given.id));
      expect(await harness.app(given, next).call('/')).toBe('the app');
      await next.close();
    });

    it('tells what it prints, and what it uses or that it cannot', async () => {
      expect(await harness.backend.logs(given.id, { tail: 10 })).toContain('the app begins');
      if (!harness.backend.capabilities.stats) {
        await expect(harness.backend.stats(given.id)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
        return;
      }
      const stats = await harness.backend.stats(given.id);
      expect(stats.memoryBytes).toBeGreaterThan(1_000_000);
      expect(stats.pids).toBeGreaterThan(0);
    });

    it('has no agent to dial', async () => {
      const asked = harness.backend.endpoint(given.id, 'agent');
      await expect(asked).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
    });

    it('pauses and resumes, or says that it cannot', async () => {
      const { backend } = harness;
      if (!backend.capabilities.pause) {
        await expect(backend.pause(given.id)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
        await expect(backend.resume(given.id)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
        return;
      }
      await backend.pause(given.id);
      await harness.expectState(given.id, 'paused');
      await expect(harness.app(given).call('/', undefined, 300)).rejects.toThrow();
      await backend.resume(given.id);
      await harness.expectState(given.id, 'running');
      expect(await harness.app(given).call('/')).toBe('the app');
    });
  });

  it('an app of the longest name can be dialled', async () => {
    const { app } = await harness.running({ id: harness.names(40).id });
    expect(await app.call('/')).toBe('the app');
  });
}
