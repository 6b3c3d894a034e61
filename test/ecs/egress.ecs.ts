import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { egressWorks } from '../e2e/egress.e2e.ts';
import { toolsGetOut } from '../e2e/egress-tools.e2e.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { freePort } from '../support/services/free-port.ts';
import { describeWith } from '../support/services/provided.ts';
import { onEcs } from './ecs-cluster.ts';
import { ecsEnv, gatewayOfTasks, startEcs } from './ecs-on-docker.ts';

const SERVICE = fileURLToPath(new URL('../../runtime/egress/service-main.ts', import.meta.url));
const KEY = 'the-admin-key-of-this-test';
/** Two rounds of the watch: the first says what was counted before. */
const COUNTED_SECONDS = 50;

describeWith(['docker', 'workspace-base-image', 'proxy-sidecar-image'], 'egress on ECS', () => {
  let emulator: EcsEmulator;
  let gateway: string;
  let service: ChildProcess;
  let ports: { proxy: number; admin: number };

  beforeAll(async () => {
    emulator = await startEcs();
    gateway = await gatewayOfTasks();
    ports = { proxy: await freePort(), admin: await freePort() };
    service = spawn(process.execPath, [SERVICE], {
      env: {
        PATH: process.env.PATH,
        PROXY_LISTEN_PORT: String(ports.proxy),
        ADMIN_PORT: String(ports.admin),
        PROXY_ADMIN_KEY: KEY,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const answers = async () =>
      expect((await fetch(`http://127.0.0.1:${ports.admin}/health`)).status).toBe(200);
    await vi.waitFor(answers, { timeout: 10_000 });
  });
  afterAll(async () => {
    const exited = once(service, 'exit');
    service.kill();
    await exited;
    await emulator[Symbol.asyncDispose]();
  });

  const where = {
    refusalsInLog: false,
    isChild: false,
    upstreamHost: () => gateway,
    countedWithinSeconds: COUNTED_SECONDS,
  };

  describe('through the sidecar', () => egressWorks(() => ecsEnv(emulator), where));

  describe('of tools that install packages', () =>
    toolsGetOut(
      () => onEcs(emulator),
      () => gateway,
    ));

  describe('through a service apart, which the sidecar passes on to', () =>
    egressWorks(
      () => ({
        ...ecsEnv(emulator),
        EGRESS_MODE: 'service',
        EGRESS_PROXY_URL: `http://${gateway}:${ports.proxy}`,
        EGRESS_PROXY_ADMIN_URL: `http://127.0.0.1:${ports.admin}`,
        EGRESS_PROXY_ADMIN_KEY: KEY,
      }),
      where,
    ));
});
