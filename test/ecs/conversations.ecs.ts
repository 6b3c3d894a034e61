import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { conversationsWork } from '../e2e/conversation.e2e.ts';
import { tenantsAreApart } from '../e2e/tenants.e2e.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { ecsEnv, startEcs } from './ecs-on-docker.ts';

describeWith(
  ['docker', 'redis', 'workspace-base-image', 'proxy-sidecar-image'],
  'conversations on ECS and Redis',
  () => {
    let emulator: EcsEmulator;
    beforeAll(async () => {
      emulator = await startEcs();
    });
    afterAll(() => emulator[Symbol.asyncDispose]());

    const env = () => ({
      ...ecsEnv(emulator),
      REDIS_URL: redis().url,
      REDIS_KEY_PREFIX: `e2e-${randomBytes(4).toString('hex')}:`,
      BERTH_SINGLE_INSTANCE: '1',
      BERTH_INSTALLATION: `e2e-${randomBytes(4).toString('hex')}`,
      BERTH_SECRET: randomBytes(32).toString('hex'),
    });
    conversationsWork(env);
    describe('tenants', () => tenantsAreApart(env));
  },
);
