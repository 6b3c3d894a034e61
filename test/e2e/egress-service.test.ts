import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { freePort } from '../support/services/free-port.ts';
import { describeWith } from '../support/services/provided.ts';
import { Upstream } from '../support/upstream.ts';
import { egressWorks } from './egress.e2e.ts';

const PROGRAM = fileURLToPath(new URL('../../runtime/egress/service-main.ts', import.meta.url));
const KEY = 'the-admin-key-of-this-test';

describeWith('bubblewrap', 'egress through a service apart', () => {
  let ports: { proxy: number; admin: number };
  let service: ChildProcess;
  const start = async (): Promise<void> => {
    service = spawn(process.execPath, [PROGRAM], {
      env: {
        PATH: process.env.PATH,
        PROXY_LISTEN_PORT: String(ports.proxy),
        ADMIN_PORT: String(ports.admin),
        PROXY_ADMIN_KEY: KEY,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await vi.waitFor(
      async () => expect((await fetch(`http://127.0.0.1:${ports.admin}/health`)).status).toBe(200),
      { timeout: 10_000 },
    );
  };
  const stop = async (): Promise<void> => {
    const exited = once(service, 'exit');
    service.kill('SIGKILL');
    await exited;
  };
  const env = () => ({
    CONTAINER_MANAGER_TYPE: 'process',
    EGRESS_MODE: 'service',
    EGRESS_PROXY_URL: `http://127.0.0.1:${ports.proxy}`,
    EGRESS_PROXY_ADMIN_URL: `http://127.0.0.1:${ports.admin}`,
    EGRESS_PROXY_ADMIN_KEY: KEY,
  });

  beforeAll(async () => {
    ports = { proxy: await freePort(), admin: await freePort() };
    await start();
  });
  afterAll(stop);

  describe('as from a proxy of its own', () => egressWorks(env, { refusalsInLog: false }));

  it('is back once a service that was started anew has been told its rules', async () => {
    await using upstream = await Upstream.start();
    await using runtime = await RuntimeProcess.start({
      env: { ...env(), EGRESS_ALLOWED_DOMAINS: `internal:${upstream.authority}` },
    });
    const call = async (): Promise<string> =>
      (await runtime.exec('c', ['curl', '-sS', '--max-time', '5', `http://${upstream.authority}/x`])).stdout;
    expect(await call()).toBe('GET /x\n');
    await stop();
    expect(await call()).toContain('does not answer');
    await start();
    expect(await call()).toContain('does not know this sandbox');
    await vi.waitFor(async () => expect(await call()).toBe('GET /x\n'), { timeout: 15_000, interval: 250 });
  });

  it('is closed to who has no credential, or that of another', async () => {
    const authorization = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const header of ['', authorization('ws-000000000000:nothing'), authorization('nonsense')]) {
      const asked = request({
        ...{ host: '127.0.0.1', port: ports.proxy, path: '/anthropic/v1/messages' },
        headers: { 'proxy-authorization': header },
      }).end();
      const [answer] = await once(asked, 'response');
      answer.resume();
      expect(answer.statusCode).toBe(407);
    }
  });
});
